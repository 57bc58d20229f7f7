#include <algorithm>
#include <chrono>
#include <vector>

#include "tests/bench/p2p_measure.h"

namespace netsense::bench {
namespace {

using Clock = std::chrono::steady_clock;

// One message out and one in; the receive is posted before the send, as NCCL does.
class PingPong {
 public:
  PingPong(Link& link, size_t bytes)
      : link_(link),
        bytes_(bytes),
        out_(bytes),
        in_(bytes),
        out_region_(link.net(), link.send_comm(), out_.data(), bytes),
        in_region_(link.net(), link.recv_comm(), in_.data(), bytes) {}

  void post_receive() {
    poll([&] { return (receiving_ = link_.irecv(in_.data(), bytes_, in_region_.handle())) != nullptr; });
  }
  void send() {
    poll([&] { return (sending_ = link_.isend(out_.data(), bytes_, out_region_.handle())) != nullptr; });
  }
  void wait_for_receive() {
    poll([&] {
      poll_send();
      return link_.test(receiving_);
    });
  }
  void wait_for_send() {
    poll([&] { return poll_send(); });
  }

 private:
  bool poll_send() {
    if (sending_ != nullptr && link_.test(sending_)) sending_ = nullptr;
    return sending_ == nullptr;
  }

  Link& link_;
  size_t bytes_;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
  testing::Registration out_region_;
  testing::Registration in_region_;
  void* sending_ = nullptr;
  void* receiving_ = nullptr;
};

std::vector<double> ping(PingPong& messages, int round_trips) {
  std::vector<double> times;
  times.reserve(static_cast<size_t>(round_trips));
  for (int i = 0; i < round_trips; ++i) {
    const Clock::time_point start = Clock::now();
    messages.post_receive();
    messages.send();
    messages.wait_for_receive();
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count() / 2);
    messages.wait_for_send();
  }
  return times;
}

void pong(PingPong& messages, int round_trips) {
  messages.post_receive();
  for (int i = 0; i < round_trips; ++i) {
    messages.wait_for_receive();
    messages.send();
    if (i + 1 < round_trips) messages.post_receive();
    messages.wait_for_send();
  }
}

}  // namespace

Latency measure_latency(Link& link, const Control& control, Role role, size_t bytes, int round_trips) {
  const int warm_up = round_trips / 10 + 1;
  PingPong messages(link, bytes);
  if (role == Role::kServer) {
    control.send(true);
    pong(messages, warm_up + round_trips);
    return {};
  }
  static_cast<void>(control.receive<bool>());
  static_cast<void>(ping(messages, warm_up));
  std::vector<double> times = ping(messages, round_trips);
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times[times.size() * 99 / 100]};
}

}  // namespace netsense::bench
