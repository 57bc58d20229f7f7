// Samples of a TCP connection, from what the kernel says about its socket.
#pragma once

#include <cstdint>
#include <optional>

#include "probe/sample.h"
#include "probe/tcp_info.h"

namespace netsense::probe {

// Turns looks at a socket into samples. Pure: TcpSampler reads the socket.
class TcpInterpreter {
 public:
  // accepted_bytes: all that was ever written to the socket. queued_bytes: of those, not acknowledged
  // (SIOCOUTQ).
  Sample interpret(Time now, uint64_t accepted_bytes, uint64_t queued_bytes, const TcpInfo& info);

 private:
  std::optional<Duration> mean_rtt(const TcpInfo& info, bool progress) const;

  bool started_ = false;
  TcpInfo last_;
  uint64_t last_delivered_ = 0;
  Time receiver_limited_at_;
};

// One sample is two system calls (one on kernels that do not know how much is unsent, where a third is made).
class TcpSampler {
 public:
  // The socket stays its owner's.
  explicit TcpSampler(int fd) : fd_(fd) {}

  // accepted_bytes: all that was ever written to the socket. Nothing when the kernel does not answer.
  std::optional<Sample> sample(Time now, uint64_t accepted_bytes);
  // Of the last sample.
  [[nodiscard]] const TcpInfo& info() const { return info_; }

 private:
  int fd_;
  TcpInterpreter interpreter_;
  TcpInfo info_;
};

}  // namespace netsense::probe
