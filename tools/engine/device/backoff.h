// Waits for other threads politely: machines that run this have fewer cores than threads.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace netsense::engine {

class Backoff {
 public:
  void reset() { rounds_ = 0; }

  // Returns at once at first, then after giving up the core, then after sleeping.
  void wait() {
    ++rounds_;
    if (rounds_ <= kSpins) return;
    if (rounds_ <= kYields) {
      std::this_thread::yield();
      return;
    }
    std::this_thread::sleep_for(std::min(std::chrono::microseconds(rounds_ - kYields), kLongest));
  }

 private:
  static constexpr int kSpins = 32;
  static constexpr int kYields = 256;
  static constexpr std::chrono::microseconds kLongest{50};

  int rounds_ = 0;
};

}  // namespace netsense::engine
