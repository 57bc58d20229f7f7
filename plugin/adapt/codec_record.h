// What was measured of one codec on one class of traffic.
#pragma once

#include <cstddef>

#include "plugin/adapt/cost_model.h"
#include "probe/sample.h"

namespace netsense::adapt {

// A moving mean over blocks, in which one counts for an eighth: a few blocks are enough to follow a change,
// and one that was interrupted does not turn the decision.
class CodecRecord {
 public:
  // One block was coded. `took`: by the clock, so that a busy machine makes the codec as slow as it is.
  void add(probe::Time now, size_t raw_bytes, size_t coded_bytes, probe::Duration took);
  [[nodiscard]] bool known() const { return known_; }
  [[nodiscard]] probe::Time last() const { return last_; }
  [[nodiscard]] double ratio() const { return ratio_; }
  // Raw bytes per second.
  [[nodiscard]] double encode_rate() const { return 1 / seconds_per_byte_; }

 private:
  bool known_ = false;
  probe::Time last_;
  double ratio_ = 1;
  double seconds_per_byte_ = 0;
};

}  // namespace netsense::adapt
