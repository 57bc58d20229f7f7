// RTprop: the round-trip time of a path without any queue.
#pragma once

#include <cstddef>
#include <deque>

#include "probe/sample.h"

namespace netsense::probe {

// The smallest round trip of the last 10 s (BBR: Cardwell et al., "BBR: Congestion-Based Congestion Control",
// ACM Queue 14(5), 2016), with one difference. Under a standing queue every round trip of the last 10 s
// contains the queue, and so does their minimum: such a minimum may lower the estimate but not raise it. It
// rises only when three round trips *without own bytes in the queue* ("unloaded": the first after the
// connection had run empty), none of which confirms the old value, agree with each other: a path is equally
// long every time, a queue that others keep is not.
class RtpropFilter {
 public:
  // unloaded: nothing of this connection was under way when this round trip began.
  void add(Time at, Duration rtt, bool unloaded);

  [[nodiscard]] Duration value() const { return value_; }
  // Nothing has confirmed the value for 10 s. A connection that lets its bytes drain once will see an
  // unloaded round trip; after that the next 10 s begin, whatever it showed.
  [[nodiscard]] bool stale(Time now) const;

 private:
  static constexpr size_t kWitnesses = 3;

  void lower(Time at, Duration rtt);
  void witness(Time at, Duration rtt);

  Duration value_{};
  Time looked_;  // when value_ was last confirmed, or an unloaded round trip last seen
  // Unloaded round trips above value_ since it was last confirmed: the shortest of each of the last episodes.
  std::deque<Duration> higher_;
  Time episode_;
};

}  // namespace netsense::probe
