// Whether the network is the bottleneck of a connection, and how fast it is then.
#pragma once

#include "probe/sample.h"

namespace netsense::adapt {

// Pure: the caller brings the time. Evidence is what only a network that is full shows: bytes that wait in it (a
// round trip well above RTprop), or more to send than its congestion window lets out. A receiver that does not
// read and a sender without work show neither.
class Congestion {
 public:
  // window_limited: the transport holds bytes back for the congestion window's sake.
  void update(probe::Time now, const probe::Estimate& path, bool window_limited);

  // Whether it was seen lately. After a congestion that came back soon after it had seemed over, "lately" reaches
  // further: what keeps the queue away may be the coding itself.
  [[nodiscard]] bool present(probe::Time now) const;
  // Bytes per second that the network gave this connection while it was full; 0 while unknown.
  [[nodiscard]] double wire_rate() const { return rate_; }
  [[nodiscard]] double queue_seconds() const { return queue_seconds_; }

 private:
  int in_a_row_ = 0;
  bool seen_ = false;
  probe::Time last_seen_;
  probe::Duration hold_{};
  double rate_ = 0;
  double queue_seconds_ = 0;
};

}  // namespace netsense::adapt
