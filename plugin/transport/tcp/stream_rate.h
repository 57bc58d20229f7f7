// How fast one TCP stream delivers, from the bytes its peer acknowledges.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

namespace netsense::tcp {

// Pure: the caller brings the time. Follows the delivery-rate idea of BBR (Cardwell et al., ACM Queue 2016):
// a sample spans the delivery of all that was on its way when it began, so that a pause within (a
// retransmission) is seen together with what it delayed. While there was always something to acknowledge, a
// sample is the truth and moves the estimate both ways; when the stream ran dry in between, it is only a
// lower bound and can only raise it.
class StreamRate {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // written: bytes given to the kernel since the beginning; unacknowledged: how many of them the peer has not
  // acknowledged yet.
  void update(Time now, uint64_t written, uint64_t unacknowledged);
  // Bytes per second; 0 until known.
  [[nodiscard]] double bytes_per_second() const;

 private:
  void begin(Time now, uint64_t written, uint64_t acknowledged);

  // The sample under way.
  bool started_ = false;
  Time since_;
  uint64_t acknowledged_ = 0;  // at since_
  uint64_t goal_ = 0;          // it ends when this much is acknowledged
  bool ran_dry_ = false;       // perhaps, since since_

  uint64_t last_written_ = 0;
  double rate_ = 0;
  // What the sample under way proves already: with bytes still out, the stream cannot be faster than this.
  double ceiling_ = std::numeric_limits<double>::infinity();
};

}  // namespace netsense::tcp
