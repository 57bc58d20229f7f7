#include "probe/tcp_sampler.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cmath>

namespace netsense::probe {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// The kernel counts the time that a connection waits for its receiver in ticks of up to 10 ms.
constexpr milliseconds kTwoTicks{20};

uint64_t read_size(int fd, unsigned long request, uint64_t otherwise) {
  int bytes = 0;
  return ::ioctl(fd, request, &bytes) == 0 && bytes >= 0 ? static_cast<uint64_t>(bytes) : otherwise;
}

}  // namespace

Sample TcpInterpreter::interpret(Time now, uint64_t accepted_bytes, uint64_t queued_bytes,
                                 const TcpInfo& info) {
  Sample sample;
  sample.at = now;
  sample.accepted_bytes = accepted_bytes;
  sample.delivered_bytes = accepted_bytes - std::min(accepted_bytes, queued_bytes);
  sample.unsent_bytes = std::min<uint64_t>(info.unsent_bytes.value_or(0), queued_bytes);
  sample.rtt = mean_rtt(info, !started_ || sample.delivered_bytes > last_delivered_);
  // UINT32_MAX: none yet.
  if (info.min_rtt_us && *info.min_rtt_us != UINT32_MAX &&
      (!started_ || info.min_rtt_us != last_.min_rtt_us)) {
    sample.shortest_rtt = microseconds(*info.min_rtt_us);
  }
  if (started_ && info.receiver_limited_us > last_.receiver_limited_us) receiver_limited_at_ = now;
  sample.receiver_limited = receiver_limited_at_ != Time{} && now - receiver_limited_at_ <= kTwoTicks;
  started_ = true;
  last_ = info;
  last_delivered_ = sample.delivered_bytes;
  return sample;
}

// The kernel keeps s, and every acknowledgement with the round trip m makes it s + (m - s) / 8 (RFC 6298).
// After n of them that is (7/8)^n of the old s, and the rest comes from the new round trips: solved for their
// mean.
std::optional<Duration> TcpInterpreter::mean_rtt(const TcpInfo& info, bool progress) const {
  if (!progress || info.smoothed_rtt_us == 0) return std::nullopt;
  double mean = info.smoothed_rtt_us;
  if (started_ && last_.smoothed_rtt_us != 0 && info.pure_acks_received && last_.pure_acks_received) {
    const uint32_t acks = *info.pure_acks_received - *last_.pure_acks_received;
    // Acknowledgements that came with data of the peer are not counted; at least one there was.
    const double kept = std::pow(7.0 / 8, std::max(acks, 1U));
    mean = (info.smoothed_rtt_us - kept * last_.smoothed_rtt_us) / (1 - kept);
  }
  return from_seconds(std::max<double>(mean, info.min_rtt_us.value_or(1)) * 1e-6);
}

std::optional<Sample> TcpSampler::sample(Time now, uint64_t accepted_bytes) {
  auto info = read_tcp_info(fd_);
  if (!info) return std::nullopt;
  if (!info->unsent_bytes) info->unsent_bytes = static_cast<uint32_t>(read_size(fd_, SIOCOUTQNSD, 0));
  info_ = *info;
  return interpreter_.interpret(now, accepted_bytes, read_size(fd_, SIOCOUTQ, accepted_bytes), info_);
}

}  // namespace netsense::probe
