#include "tools/probe/statistics.h"

#include <algorithm>
#include <cmath>

namespace netsense::mesh {

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  const auto index = static_cast<size_t>(std::clamp(rank - 1, 0.0, static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index), values.end());
  return values[index];
}

void Goodput::add(probe::Time at, uint64_t bytes) {
  if (!first_) first_ = at;
  if (at - *first_ < skip_) return;
  if (start_) {
    bytes_ += bytes;
  } else {
    start_ = at;
  }
  last_ = at;
}

double Goodput::bytes_per_second() const {
  if (!start_ || last_ <= *start_) return 0;
  return static_cast<double>(bytes_) / probe::to_seconds(last_ - *start_);
}

}  // namespace netsense::mesh
