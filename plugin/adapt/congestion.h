// Whether the network is the bottleneck of a connection, and how fast it is then.
#pragma once

#include "probe/sample.h"

namespace netsense::adapt {

// Pure: the caller brings the time. A look is a sign of congestion when bytes are under way and either wait in the
// network (a round trip well above RTprop) or leave others no room (the transport holds bytes back). Busy machines
// show the same now and then, because packets and acknowledgements wait for a core; but there the connection is
// empty in between, and where the network is the bottleneck it is not. So what counts is the part of the time that
// the signs take up. A receiver that does not read and a sender without work show none.
class Congestion {
 public:
  // backed_up: the transport holds bytes back, and not because the receiver takes no more.
  void update(probe::Time now, const probe::Estimate& path, bool backed_up);

  // Whether it was seen lately. After a congestion that came back soon after it had seemed over, "lately" reaches
  // further: what keeps the queue away may be the coding itself.
  [[nodiscard]] bool present(probe::Time now) const;
  // Bytes per second that the network gave this connection while it was full; 0 while unknown.
  [[nodiscard]] double wire_rate() const { return rate_; }
  [[nodiscard]] double queue_seconds() const { return queue_seconds_; }

 private:
  bool looked_ = false;
  probe::Time last_look_;
  double share_ = 0;  // of the time lately, with signs
  bool seen_ = false;
  probe::Time last_seen_;
  probe::Duration hold_{};
  double rate_ = 0;
  double queue_seconds_ = 0;
};

}  // namespace netsense::adapt
