#include "tests/loopback/traffic.h"

#include <algorithm>

namespace netsense::testing {

Traffic::Traffic(const Library12& net, size_t bytes, const std::function<void(HandleBytes*)>& reroute)
    : bytes_(bytes),
      from_(bytes),
      to_(bytes),
      ends_(net, reroute),
      from_region_(net.register_memory(ends_.send, from_)),
      to_region_(net.register_memory(ends_.recv, to_)) {}

void Traffic::step() {
  step_sender();
  step_receiver();
}

void Traffic::step_sender() {
  if (sender_ != Result::kOk || sent_ == limit_) return;
  if (sending_ == nullptr) {
    std::ranges::copy(floats(bytes_, sent_), from_.begin());
    sender_ = ends_.net->isend(ends_.send, from_.data(), bytes_, 0, from_region_, nullptr, &sending_);
    return;
  }
  int done = 0;
  sender_ = ends_.net->test(sending_, &done, nullptr);
  if (done == 0) return;
  sending_ = nullptr;
  ++sent_;
}

void Traffic::step_receiver() {
  if (receiver_ != Result::kOk || delivered_ == limit_) return;
  int done = 0;
  if (receiving_ == nullptr) {
    std::ranges::fill(to_, uint8_t{0});
    void* buffer = to_.data();
    int tag = 0;
    size_t room = bytes_;
    receiver_ = ends_.net->irecv(ends_.recv, 1, &buffer, &room, &tag, &to_region_, nullptr, &receiving_);
    return;
  }
  int size = 0;
  receiver_ = ends_.net->test(receiving_, &done, &size);
  if (done == 0) return;
  receiving_ = nullptr;
  if (size != static_cast<int>(bytes_) || to_ != floats(bytes_, delivered_)) ++wrong_;
  ++delivered_;
}

void Traffic::run_until_both_fail() {
  poll_until("an error at both ends", [&] {
    step();
    return wrong_ != 0 || (sender_ != Result::kOk && receiver_ != Result::kOk);
  });
}

void Traffic::run_until_delivered(uint32_t messages) {
  limit_ = messages;
  poll_until("delivery", [&] {
    step();
    return (sent_ == limit_ && delivered_ == limit_) || sender_ != Result::kOk || receiver_ != Result::kOk;
  });
}

}  // namespace netsense::testing
