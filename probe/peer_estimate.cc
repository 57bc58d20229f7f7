#include "probe/peer_estimate.h"

#include <algorithm>

namespace netsense::probe {

Estimate combine(std::span<const Estimate> connections) {
  Estimate sum;
  sum.active =
      std::any_of(connections.begin(), connections.end(), [](const Estimate& e) { return e.active; });
  double remembered = 0;
  double round_trips = 0;
  for (const Estimate& one : connections) {
    if (one.rtprop > Duration::zero() && (sum.rtprop == Duration::zero() || one.rtprop < sum.rtprop)) {
      sum.rtprop = one.rtprop;
    }
    sum.btlbw = std::max(sum.btlbw, one.btlbw);
    sum.unsent_bytes += one.unsent_bytes;
    sum.in_flight_bytes += one.in_flight_bytes;
    remembered = std::max(remembered, one.delivery_rate);
    if (sum.active && !one.active) continue;
    sum.delivery_rate += one.delivery_rate;
    round_trips += one.delivery_rate * to_seconds(one.rtt);
  }
  if (sum.delivery_rate > 0) {
    sum.rtt = from_seconds(round_trips / sum.delivery_rate);
    if (sum.active) sum.network_queue = std::max(sum.rtt - sum.rtprop, Duration::zero());
    sum.host_queue = from_seconds(static_cast<double>(sum.unsent_bytes) / sum.delivery_rate);
  }
  if (!sum.active) sum.delivery_rate = remembered;
  sum.btlbw = std::max(sum.btlbw, sum.delivery_rate);
  sum.bdp_bytes = sum.btlbw * to_seconds(sum.rtprop);
  return sum;
}

}  // namespace netsense::probe
