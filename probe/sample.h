// What a transport tells about one connection at one moment, and what is concluded from it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace netsense::probe {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;
using Duration = Clock::duration;

inline double to_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}
// At most 30 years either way, as the clock cannot count much further.
inline Duration from_seconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(std::clamp(seconds, -1e9, 1e9)));
}

// Byte counts run from the beginning of the connection and never fall.
struct Sample {
  Time at;
  uint64_t accepted_bytes = 0;   // taken over from the user by the transport
  uint64_t delivered_bytes = 0;  // of those, known to have arrived
  uint64_t unsent_bytes = 0;     // of those, not on the wire yet
  // Mean of the round trips that ended since the sample before; nothing when none did.
  std::optional<Duration> rtt = std::nullopt;
  // A single round trip that the transport has seen lately and that `rtt` may not show.
  std::optional<Duration> shortest_rtt = std::nullopt;
  // What limits the rate at the moment is the receiver, which does not take more.
  bool receiver_limited = false;

  [[nodiscard]] uint64_t in_flight() const {
    const uint64_t settled = delivered_bytes + unsent_bytes;
    return accepted_bytes > settled ? accepted_bytes - settled : 0;
  }
};

// Every value is 0 until it is known.
struct Estimate {
  Duration rtprop{};  // round trip without any queue
  Duration rtt{};     // round trip as it is now
  double delivery_rate =
      0;                 // bytes per second that this connection has delivered lately: its share of the link
  double btlbw = 0;      // bytes per second at which the bottleneck passes bytes on
  double bdp_bytes = 0;  // btlbw x rtprop: more than this in flight only makes queues (Cardwell et al., 2016)
  Duration host_queue{};     // how long a byte accepted now waits in the host: unsent bytes / delivery_rate
  Duration network_queue{};  // how long a byte waits in the network: rtt - rtprop
  uint64_t unsent_bytes = 0;
  uint64_t in_flight_bytes = 0;
  bool active = false;  // bytes are under way or were lately; otherwise the rates are memories

  [[nodiscard]] Duration queue_delay() const { return host_queue + network_queue; }
};

}  // namespace netsense::probe
