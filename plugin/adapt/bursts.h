// From calls to bursts of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "probe/sample.h"

namespace netsense::adapt {

// From the first call after a pause until nothing is under way; or a part of one that goes on for long.
struct Burst {
  double seconds = 0;
  double raw_bytes = 0;
  double wire_bytes = 0;
  bool over = false;        // a pause follows; otherwise more of the same burst does
  double idle_seconds = 0;  // of that pause
};

class Bursts {
 public:
  // A call starts. The burst before it, if this is the first after a pause, or what there is of a long one.
  std::optional<Burst> begin(probe::Time now, double raw_bytes);
  // A call is over. What has come through of a burst that goes on for long.
  std::optional<Burst> end(probe::Time begun, probe::Time now, double raw_bytes, double wire_bytes);

  [[nodiscard]] bool busy() const { return calls_ > 0; }
  // Of the calls under way; at least as much as at the height of the last burst, of which the first call
  // of the next is but the beginning.
  [[nodiscard]] double raw_in_flight() const { return std::max(highest_, last_highest_); }
  // Since the burst began, or was cut.
  [[nodiscard]] probe::Duration elapsed(probe::Time now) const { return now - begin_; }
  // Bytes per second that have come through of this burst; calls under way do not count yet.
  [[nodiscard]] double arrived_rate(probe::Time now) const;

 private:
  Burst take(double seconds);

  size_t calls_ = 0;
  double raw_under_way_ = 0;
  double highest_ = 0;
  double last_highest_ = 0;
  bool used_ = false;  // whether a call has ended since begin_
  probe::Time begin_;
  probe::Time last_end_;
  double raw_ = 0;  // of the calls that have ended
  double wire_ = 0;
  // A long burst is cut when the calls that were under way at `mark_` have ended.
  bool marked_ = false;
  probe::Time mark_;
  size_t before_mark_ = 0;
};

}  // namespace netsense::adapt
