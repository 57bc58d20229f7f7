#include "probe/path_estimator.h"

#include <algorithm>

namespace netsense::probe {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Weight of what one look finds; several round trips end between two looks on a fast path, few on a slow one.
constexpr int kRttWeight = 2;  // 1 / 2
// A connection without deliveries for so long, and for two round trips, is not active.
constexpr milliseconds kActive{250};
// Less queue than this, and than half of RTprop, does not show that the network is what limits a connection.
constexpr microseconds kSomeQueue{250};

Duration above(Duration value, Duration base) {
  return std::max(value - base, Duration::zero());
}

}  // namespace

void PathEstimator::update(const Sample& sample) {
  if (!started_) {
    started_ = true;
    last_ = sample;
    last_delivery_ = waiting_since_ = sample.at;
    unloaded_until_ = sample.delivered_bytes + kUnloadedBytes;
  }
  if (sample.at < last_.at || sample.delivered_bytes < last_.delivered_bytes) return;
  add_round_trips(sample);
  if (last_.in_flight() == 0 || sample.delivered_bytes > last_.delivered_bytes) waiting_since_ = sample.at;
  add_deliveries(sample);
  last_ = sample;
}

void PathEstimator::add_round_trips(const Sample& sample) {
  if (sample.shortest_rtt) rtprop_.add(sample.at, *sample.shortest_rtt, false);
  if (!sample.rtt) return;
  const bool unloaded = sample.delivered_bytes <= unloaded_until_;
  rtprop_.add(sample.at, *sample.rtt, unloaded);
  // After a pause the old value says nothing about the queue of today.
  const bool resumed = sample.at - last_delivery_ > std::max<Duration>(kActive, 2 * rtt_);
  rtt_ = rtt_ == Duration::zero() || resumed ? *sample.rtt : rtt_ + (*sample.rtt - rtt_) / kRttWeight;
}

void PathEstimator::add_deliveries(const Sample& sample) {
  // All that was accepted by the last look is delivered: for a moment nothing may have been on its way.
  const bool ran_empty = sample.delivered_bytes >= last_.accepted_bytes;
  if (sample.delivered_bytes == sample.accepted_bytes) {
    unloaded_until_ = sample.delivered_bytes + kUnloadedBytes;
  }
  if (sample.delivered_bytes == last_.delivered_bytes) return bottleneck_.look(sample.at);
  const Duration queue = above(rtt_, rtprop_.value());
  const bool queued = queue > std::max<Duration>(kSomeQueue, rtprop_.value() / 2);
  const bool limited = ran_empty || (sample.receiver_limited && !queued);
  delivery_.add(sample.at, sample.delivered_bytes, limited, rtt_);
  bottleneck_.add(sample.at, sample.delivered_bytes, limited, rtt_);
  last_delivery_ = sample.at;
}

Estimate PathEstimator::estimate(Time now) const {
  Estimate result;
  result.in_flight_bytes = last_.in_flight();
  result.unsent_bytes = last_.unsent_bytes;
  const bool under_way = last_.accepted_bytes > last_.delivered_bytes;
  result.active = started_ && (under_way || now - last_delivery_ <= std::max<Duration>(kActive, 2 * rtt_));
  const Duration waiting = result.in_flight_bytes > 0 ? now - waiting_since_ : Duration::zero();
  result.rtprop = rtprop_.value();
  // The round trip of what is in flight will not be shorter than it has been waiting already.
  result.rtt = rtt_ == Duration::zero() ? rtt_ : std::max(rtt_, waiting);
  result.delivery_rate = delivery_.bytes_per_second(result.in_flight_bytes, waiting);
  result.btlbw = bottleneck_.bytes_per_second();
  result.bdp_bytes = result.btlbw * to_seconds(result.rtprop);
  // The queues of a connection that has nothing under way are unknown, and nobody waits in them.
  if (!result.active) return result;
  result.network_queue = above(result.rtt, result.rtprop);
  if (result.delivery_rate > 0) {
    result.host_queue = from_seconds(static_cast<double>(last_.unsent_bytes) / result.delivery_rate);
  }
  return result;
}

}  // namespace netsense::probe
