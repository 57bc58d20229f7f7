// Numbers for people, each in the unit that suits it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace netsense::report {

// A unit for a whole axis: value * per_base is what is shown.
struct Unit {
  std::string_view name;
  double per_base = 1;
};
// For values up to largest, in seconds and in bytes per second (shown as bits).
Unit time_unit(double largest);
Unit rate_unit(double largest);

// Three digits that count: "1.25", "12.5", "125".
std::string short_number(double value);
std::string format_time(double seconds);
std::string format_rate(double bytes_per_second);
std::string format_bytes(uint64_t bytes);
// UTC, to the second.
std::string format_date(uint64_t unix_ns);

}  // namespace netsense::report
