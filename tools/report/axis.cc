#include "tools/report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace netsense::report {
namespace {

// 1, 2 or 5 times a power of ten, at least value.
double round_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power >= value * (1 - 1e-9)) return digit * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<double> Scale::ticks() const {
  std::vector<double> all;
  if (tick <= 0) return all;
  const auto count = static_cast<int>(std::floor(top / tick * (1 + 1e-9)));
  for (int i = 0; i <= count; ++i) all.push_back(i * tick);
  return all;
}

Scale scale_within(double end, int most) {
  if (!(end > 0)) return {};
  return {.top = end, .tick = round_up(end / most)};
}

Scale scale_to(double largest, int most) {
  Scale scale = scale_within(largest, most);
  scale.top = std::max(1.0, std::ceil(scale.top / scale.tick * (1 - 1e-9))) * scale.tick;
  return scale;
}

std::string tick_label(double value, double tick) {
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(tick) - 1e-9)), 0, 6);
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace netsense::report
