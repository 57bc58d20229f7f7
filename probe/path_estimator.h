// What the samples of one connection say about its path.
#pragma once

#include <cstdint>

#include "probe/bottleneck_rate.h"
#include "probe/delivery_rate.h"
#include "probe/rtprop_filter.h"
#include "probe/sample.h"

namespace netsense::probe {

// Pure: knows no clock and no transport, the samples bring both. docs/sensing.md explains the values. The
// finer the samples in time, the better: every 0.2 to 1 ms while bytes are under way; none are needed while
// nothing is. Not for several threads at once.
class PathEstimator {
 public:
  void update(const Sample& sample);
  [[nodiscard]] Estimate estimate(Time now) const;

  // A round trip that another connection to the same host has seen without a queue. A connection made while
  // others keep a queue has no way to learn RTprop by itself.
  void learn_rtprop(Time now, Duration rtprop) { rtprop_.add(now, rtprop, false); }

  // RTprop needs to be confirmed (every 10 s at most): the owner may hold back what it has to send until
  // nothing is in flight, then send up to kUnloadedBytes and wait for their delivery before it goes on.
  // Traffic with pauses does that by itself.
  [[nodiscard]] bool wants_drain(Time now) const { return rtprop_.stale(now); }
  static constexpr uint64_t kUnloadedBytes = 16384;

 private:
  void add_round_trips(const Sample& sample);
  void add_deliveries(const Sample& sample);

  bool started_ = false;
  Sample last_;
  // What is delivered up to here met no queue of this connection's own making.
  uint64_t unloaded_until_ = 0;
  Time last_delivery_;
  // Since then something has been in flight, and nothing was delivered.
  Time waiting_since_;
  Duration rtt_{};
  RtpropFilter rtprop_;
  DeliveryRate delivery_;
  BottleneckRate bottleneck_;
};

}  // namespace netsense::probe
