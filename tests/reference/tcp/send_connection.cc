#include <sys/uio.h>

#include "tests/reference/tcp/connection.h"

namespace netsense::reference {
namespace {

// Enough to fill a socket buffer with small messages in one call.
constexpr size_t kMessagesPerCall = 8;

}  // namespace

Status SendConnection::isend(const void* data, size_t bytes, int tag, Request** request) {
  *request = requests_.take(this, 1);
  if (*request == nullptr) return Status::kOk;
  Part& part = (*request)->parts[0];
  part.data = static_cast<std::byte*>(const_cast<void*>(data));
  part.room = bytes;
  part.bytes = bytes;
  part.tag = tag;
  headers_[(first_header_ + queue_.size()) % kMaxRequests] = {.bytes = bytes, .tag = tag};
  queue_.push(*request);
  // A queue that was not empty waits for room in the socket: test() will find out.
  return queue_.size() == 1 ? progress() : Status::kOk;
}

Status SendConnection::progress() {
  while (!queue_.empty()) {
    std::array<iovec, 2 * kMessagesPerCall> pieces;
    size_t count = 0;
    size_t skip = sent_of_first_;
    const auto add = [&](void* data, size_t bytes) {
      const size_t skipped = std::min(skip, bytes);
      skip -= skipped;
      if (bytes > skipped) pieces[count++] = {static_cast<std::byte*>(data) + skipped, bytes - skipped};
    };
    for (size_t i = 0; i < std::min(queue_.size(), kMessagesPerCall); ++i) {
      add(&headers_[(first_header_ + i) % kMaxRequests], sizeof(MessageHeader));
      add(queue_.at(i)->parts[0].data, queue_.at(i)->parts[0].bytes);
    }
    size_t sent = 0;
    bool moved = false;
    const Status status = judge(send_some(socket_, {pieces.data(), count}, &sent), &moved);
    if (status != Status::kOk || !moved) return status;
    account(sent);
  }
  return Status::kOk;
}

void SendConnection::account(size_t sent) {
  sent_of_first_ += sent;
  while (!queue_.empty()) {
    const size_t whole = sizeof(MessageHeader) + queue_.at(0)->parts[0].bytes;
    if (sent_of_first_ < whole) return;
    sent_of_first_ -= whole;
    queue_.at(0)->parts_left = 0;
    queue_.pop();
    first_header_ = (first_header_ + 1) % kMaxRequests;
  }
}

}  // namespace netsense::reference
