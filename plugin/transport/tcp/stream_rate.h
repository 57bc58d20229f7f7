// How fast one TCP stream delivers, from the bytes its peer acknowledges.
#pragma once

#include <chrono>
#include <cstdint>

namespace netsense::tcp {

// Pure: the caller brings the time. Follows the delivery-rate idea of BBR (Cardwell et al., ACM Queue 2016): while
// there was always something to acknowledge, a sample is the truth and moves the estimate both ways; when the
// stream ran dry in between, the sample is only a lower bound and can only raise it.
class StreamRate {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // written: bytes given to the kernel since the beginning; unacknowledged: how many of them the peer has not
  // acknowledged yet.
  void update(Time now, uint64_t written, uint64_t unacknowledged);
  // Bytes per second; 0 until known.
  [[nodiscard]] double bytes_per_second() const { return rate_; }

 private:
  bool started_ = false;
  Time since_;
  uint64_t acknowledged_ = 0;  // at since_
  bool ran_dry_ = false;       // since since_
  double rate_ = 0;
};

}  // namespace netsense::tcp
