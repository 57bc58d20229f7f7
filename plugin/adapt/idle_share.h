// How long a job leaves its link alone, for how much it sends.
#pragma once

#include <array>
#include <cstddef>

#include "plugin/adapt/bursts.h"

namespace netsense::adapt {

// Over the last bursts, together: a training step may be one or several. The longest pause counts only as
// long as the second longest, so that a checkpoint or an evaluation does not pass for computing time.
class IdleShare {
 public:
  void add(const Burst& burst);
  // Two pauses, or parts of a burst that does not end, are enough for a first answer.
  [[nodiscard]] bool known() const { return count_ >= 2 || open_parts_ >= 2; }
  // Seconds per byte of data.
  [[nodiscard]] double seconds_per_byte() const;

 private:
  struct Entry {
    double raw_bytes = 0;
    double idle_seconds = 0;
  };
  std::array<Entry, 16> entries_{};
  size_t count_ = 0;
  size_t next_ = 0;
  double open_raw_ = 0;
  size_t open_parts_ = 0;
};

}  // namespace netsense::adapt
