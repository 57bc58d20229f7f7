// Figures from many observations.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "probe/sample.h"

namespace netsense::mesh {

// The smallest value that at least `share` (0 to 1) of the values do not exceed (nearest rank); 0 of none.
[[nodiscard]] double percentile(std::vector<double> values, double share);

// The rate at which a receiver gets bytes, without the beginning, in which the sender's window still grows.
class Goodput {
 public:
  // skip: from the first arrival on, not counted.
  explicit Goodput(probe::Duration skip) : skip_(skip) {}

  void add(probe::Time at, uint64_t bytes);
  // Over the time from the first counted arrival to the last. The first one's own bytes came before that time
  // and do not count. 0 until there are two.
  [[nodiscard]] double bytes_per_second() const;

 private:
  probe::Duration skip_;
  std::optional<probe::Time> first_;
  std::optional<probe::Time> start_;
  probe::Time last_;
  uint64_t bytes_ = 0;
};

}  // namespace netsense::mesh
