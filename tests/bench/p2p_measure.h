// Latency and bandwidth of a plugin between two processes, driven as NCCL's proxy thread drives it.
#pragma once

#include <cstddef>

#include "tests/bench/p2p_link.h"

namespace netsense::bench {

// Half of a round trip, in seconds.
struct Latency {
  double median = 0;
  double p99 = 0;
};
// Bounces a message of so many bytes to and fro. The result is the client's; the server's is empty.
Latency measure_latency(Link& link, const Control& control, Role role, size_t bytes, int round_trips);

struct Bandwidth {
  double bytes_per_second = 0;
  // Processor time of each process over the elapsed time: 1 is one core.
  double sender_cores = 0;
  double receiver_cores = 0;
};
// The client sends messages of so many bytes for about so many seconds and keeps `window` of them posted, as
// the server does with its receives. Throws when the last data to arrive are not those sent.
Bandwidth measure_bandwidth(Link& link, const Control& control, Role role, size_t bytes, int window,
                            double seconds);

}  // namespace netsense::bench
