#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "tests/bench/p2p_measure.h"

namespace netsense::bench {
namespace {

using Clock = std::chrono::steady_clock;

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Buffers of one side, used in turn; each with at most one request under way.
class Window {
 public:
  Window(Link& link, Role role, size_t bytes, int slots)
      : link_(link),
        sending_(role == Role::kClient),
        bytes_(bytes),
        memory_(bytes * static_cast<size_t>(slots)),
        region_(link.net(), sending_ ? link.send_comm() : link.recv_comm(), memory_.data(), memory_.size()),
        requests_(static_cast<size_t>(slots), nullptr) {
    if (!sending_) return;
    for (size_t i = 0; i < memory_.size(); ++i) memory_[i] = pattern(i % bytes_);
  }

  // Posts and completes so many messages, in order, with all slots busy where possible.
  void run(size_t messages) {
    size_t posted = 0;
    size_t completed = 0;
    poll([&] {
      const size_t before = posted + completed;
      while (posted < messages && posted - completed < requests_.size() && post(posted % requests_.size()))
        ++posted;
      if (completed < posted && complete(completed % requests_.size())) ++completed;
      if (posted + completed == before) std::this_thread::yield();
      return completed == messages;
    });
  }

  [[nodiscard]] bool holds_pattern(size_t slots) const {
    for (size_t i = 0; i < std::min(slots, requests_.size()) * bytes_; ++i) {
      if (memory_[i] != pattern(i % bytes_)) return false;
    }
    return true;
  }

 private:
  static std::byte pattern(size_t index) { return static_cast<std::byte>(index * 131 + (index >> 8) + 1); }
  bool post(size_t slot) {
    std::byte* data = memory_.data() + slot * bytes_;
    requests_[slot] =
        sending_ ? link_.isend(data, bytes_, region_.handle()) : link_.irecv(data, bytes_, region_.handle());
    return requests_[slot] != nullptr;
  }
  bool complete(size_t slot) { return link_.test(requests_[slot]); }

  Link& link_;
  bool sending_;
  size_t bytes_;
  std::vector<std::byte> memory_;
  testing::Registration region_;
  std::vector<void*> requests_;
};

struct Run {
  double seconds = 0;
  double sender_cores = 0;
  double receiver_cores = 0;
};

// Both sides: one timed stretch, from before the first post until the receiver has everything.
Run run_once(Window& window, const Control& control, Role role, size_t messages) {
  static_cast<void>(control.exchange(true));
  const Clock::time_point start = Clock::now();
  const double before = processor_seconds();
  window.run(messages);
  const double used = processor_seconds() - before;
  if (role == Role::kServer) {
    control.send(used);
    return {};
  }
  const auto receiver_used = control.receive<double>();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return {seconds, used / seconds, receiver_used / seconds};
}

}  // namespace

Bandwidth measure_bandwidth(Link& link, const Control& control, Role role, size_t bytes, int slots,
                            double seconds) {
  Window window(link, role, bytes, slots);
  auto messages = static_cast<uint64_t>(slots) * 2;
  const Run warm_up = run_once(window, control, role, messages);
  if (role == Role::kClient) {
    const double wanted = std::ceil(static_cast<double>(messages) * seconds / warm_up.seconds);
    messages = std::max<uint64_t>(messages, static_cast<uint64_t>(wanted));
    control.send(messages);
  } else {
    messages = control.receive<uint64_t>();
  }
  const Run timed = run_once(window, control, role, messages);
  if (role == Role::kServer) {
    if (!window.holds_pattern(messages)) throw std::runtime_error("the data received are not those sent");
    return {};
  }
  return {static_cast<double>(bytes) * static_cast<double>(messages) / timed.seconds, timed.sender_cores,
          timed.receiver_cores};
}

}  // namespace netsense::bench
