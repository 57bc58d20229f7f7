// What several connections to the same host say together.
#pragma once

#include <span>

#include "probe/sample.h"

namespace netsense::probe {

// The connections share a path, so of the active ones (all of them, if none is):
//   rtprop         the smallest: each is an upper bound for the path's
//   rtt            mean of the round trips, by rate: what a byte to that host meets
//   delivery_rate  the sum: what the host is sent
//   btlbw          the largest, and at least the sum: the link carried that much at once
//   queues         network: rtt - rtprop, so that a connection made while others kept a queue, and that has
//   never seen
//                  the path without, is put right; host: all unsent bytes over the sum of the rates
// Rates of idle connections are memories of other moments, and adding them up would count the link several
// times.
Estimate combine(std::span<const Estimate> connections);

}  // namespace netsense::probe
