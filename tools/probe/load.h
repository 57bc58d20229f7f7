// Load on one connection: bytes without end, and what both sides learn from them. Neither side ever waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "probe/path_estimator.h"
#include "probe/tcp_sampler.h"
#include "tools/perf/socket.h"
#include "tools/probe/statistics.h"

namespace netsense::mesh {

class LoadSender {
 public:
  // record_from: queues before that belong to the beginning and are not kept.
  LoadSender(perf::Socket socket, probe::Time record_from);
  // Throws away what has not arrived: the next step shall not find it on the wire.
  ~LoadSender();
  LoadSender(LoadSender&&) = delete;

  [[nodiscard]] int fd() const { return socket_.fd(); }
  // Sends as much as the socket takes, at most one piece. Throws perf::Error when the connection broke.
  void send_some();
  // To be called often; looks at the socket once per kLookInterval.
  void look(probe::Time now);

  static constexpr std::chrono::microseconds kLookInterval{500};
  [[nodiscard]] probe::Estimate estimate(probe::Time now) const { return estimator_.estimate(now); }
  // Median of the network's queue, in seconds.
  [[nodiscard]] double queue_delay() const { return percentile(queues_, 0.5); }

 private:
  perf::Socket socket_;
  probe::Time record_from_;
  probe::TcpSampler sampler_;
  probe::PathEstimator estimator_;
  probe::Time next_look_;
  uint64_t accepted_;
  std::vector<std::byte> piece_;
  std::vector<double> queues_;
};

class LoadReceiver {
 public:
  LoadReceiver(perf::Socket socket, probe::Duration skip);

  [[nodiscard]] int fd() const { return socket_.fd(); }
  // Takes what is there, at most one piece. Throws perf::Error when the connection broke.
  void receive_some(probe::Time now);
  [[nodiscard]] double bytes_per_second() const { return goodput_.bytes_per_second(); }

 private:
  perf::Socket socket_;
  Goodput goodput_;
  std::vector<std::byte> piece_;
};

}  // namespace netsense::mesh
