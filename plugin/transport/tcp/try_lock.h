// A lock that is only ever tried: whoever does not get it goes on with something else, since the holder is
// doing the same work.
#pragma once

#include <atomic>

namespace netsense::tcp {

class TryLock {
 public:
  bool try_lock() { return !taken_.exchange(true, std::memory_order_acquire); }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace netsense::tcp
