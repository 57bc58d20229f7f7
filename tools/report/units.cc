#include "tools/report/units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <ctime>

namespace netsense::report {
namespace {

template <size_t Count>
Unit largest_below(const std::array<Unit, Count>& units, double value) {
  for (const Unit& unit : units) {
    if (std::abs(value) * unit.per_base >= 1) return unit;
  }
  return units.back();
}

constexpr std::array kTimes{Unit{"s", 1}, Unit{"ms", 1e3}, Unit{"µs", 1e6}};
constexpr std::array kRates{Unit{"Gbit/s", 8e-9}, Unit{"Mbit/s", 8e-6}, Unit{"kbit/s", 8e-3}};

}  // namespace

Unit time_unit(double largest) {
  return largest_below(kTimes, largest);
}

Unit rate_unit(double largest) {
  return largest_below(kRates, largest);
}

std::string short_number(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  const int decimals = size < 1 ? 3 : size < 10 ? 2 : size < 100 ? 1 : 0;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) {
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

std::string format_time(double seconds) {
  const Unit unit = time_unit(seconds);
  return fmt::format("{} {}", short_number(seconds * unit.per_base), seconds == 0 ? "s" : unit.name);
}

std::string format_rate(double bytes_per_second) {
  const Unit unit = rate_unit(bytes_per_second);
  return fmt::format("{} {}", short_number(bytes_per_second * unit.per_base), unit.name);
}

std::string format_bytes(uint64_t bytes) {
  constexpr std::array<std::string_view, 6> kNames{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes);
  size_t name = 0;
  while (value >= 1024 && name + 1 < kNames.size()) {
    value /= 1024;
    ++name;
  }
  return fmt::format("{} {}", short_number(value), kNames[name]);
}

std::string format_date(uint64_t unix_ns) {
  const auto seconds = static_cast<std::time_t>(unix_ns / 1'000'000'000);
  std::tm utc{};
  if (::gmtime_r(&seconds, &utc) == nullptr) return "";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

}  // namespace netsense::report
