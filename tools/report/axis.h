// Scales with round numbers.
#pragma once

#include <string>
#include <vector>

namespace netsense::report {

struct Scale {
  double top = 1;                                   // a multiple of the tick, or what was asked for
  double tick = 1;                                  // 0: there are none
  [[nodiscard]] std::vector<double> ticks() const;  // from 0
};

// From 0 to at least `largest`, ending at a tick, with at most `most` of them beyond 0.
Scale scale_to(double largest, int most);
// From 0 to exactly `end`.
Scale scale_within(double end, int most);

// A tick's label, with as many decimals as the ticks need.
std::string tick_label(double value, double tick);

}  // namespace netsense::report
