#include <sys/uio.h>

#include <algorithm>
#include <cstring>

#include "plugin/core/log.h"
#include "tests/reference/tcp/connection.h"

namespace netsense::reference {

Status RecvConnection::irecv(std::span<void* const> data, std::span<const size_t> room,
                             std::span<const int> tags, Request** request) {
  if (data.empty() || data.size() > kMaxGroupedReceives) return Status::kInvalidArgument;
  *request = requests_.take(this, static_cast<int>(data.size()));
  if (*request == nullptr) return Status::kOk;
  for (size_t i = 0; i < data.size(); ++i) {
    Part& part = (*request)->parts[i];
    part.data = static_cast<std::byte*>(data[i]);
    part.room = room[i];
    part.tag = tags[i];
  }
  queue_.push(*request);
  return Status::kOk;
}

Status RecvConnection::iflush(Request** request) {
  *request = requests_.take(this, 0);
  return Status::kOk;
}

Status RecvConnection::progress() {
  while (true) {
    bool waiting = false;
    const Status consumed = consume(&waiting);
    // Reading on without a posted receive would only fill staging_: the socket's own buffer does that better.
    if (consumed != Status::kOk || waiting || (current_ == nullptr && queue_.empty())) return consumed;

    const bool header_begun = current_ == nullptr && staged_begin_ < staged_end_;
    if (header_begun) {
      std::memmove(staging_.data(), staging_.data() + staged_begin_, staged_end_ - staged_begin_);
      staged_end_ -= staged_begin_;
    } else {
      staged_end_ = 0;
    }
    staged_begin_ = 0;
    const size_t direct = current_left_;
    std::array<iovec, 2> pieces;
    size_t count = 0;
    if (direct > 0) pieces[count++] = {current_->data + current_->bytes - direct, direct};
    pieces[count++] = {staging_.data() + staged_end_, staging_.size() - staged_end_};

    size_t received = 0;
    bool moved = false;
    const Status status = judge(receive_some(socket_, {pieces.data(), count}, &received), &moved);
    if (status != Status::kOk || !moved) return status;
    const size_t in_place = std::min(direct, received);
    current_left_ -= in_place;
    staged_end_ += received - in_place;
    if (current_ != nullptr && current_left_ == 0) finish_part();
  }
}

Status RecvConnection::consume(bool* waiting) {
  while (true) {
    const size_t staged = staged_end_ - staged_begin_;
    if (current_ == nullptr) {
      if (staged < sizeof(MessageHeader)) return Status::kOk;
      MessageHeader header;
      std::memcpy(&header, staging_.data() + staged_begin_, sizeof header);
      const Status status = begin_message(header, waiting);
      if (status != Status::kOk || *waiting) return status;
      staged_begin_ += sizeof header;
    } else {
      const size_t copied = std::min(staged, current_left_);
      if (copied > 0) {
        std::memcpy(current_->data + current_->bytes - current_left_, staging_.data() + staged_begin_,
                    copied);
        staged_begin_ += copied;
        current_left_ -= copied;
      }
      if (current_left_ > 0) return Status::kOk;
      finish_part();
    }
  }
}

Status RecvConnection::begin_message(const MessageHeader& header, bool* waiting) {
  Request* owner = nullptr;
  Part* part = find_part(header.tag, &owner);
  *waiting = part == nullptr;
  if (*waiting) return Status::kOk;
  if (header.bytes > part->room) {
    NETSENSE_WARN("reference plugin: message truncated: {} bytes sent, room for {}", header.bytes,
                  part->room);
    return Status::kInvalidUsage;
  }
  part->taken = true;
  part->bytes = header.bytes;
  current_owner_ = owner;
  current_ = part;
  current_left_ = header.bytes;
  return Status::kOk;
}

Part* RecvConnection::find_part(int64_t tag, Request** owner) const {
  for (size_t i = 0; i < queue_.size(); ++i) {
    Request* request = queue_.at(i);
    const auto parts = std::span(request->parts).first(static_cast<size_t>(request->part_count));
    const auto found = std::find_if(parts.begin(), parts.end(),
                                    [tag](const Part& part) { return !part.taken && part.tag == tag; });
    if (found == parts.end()) continue;
    *owner = request;
    return &*found;
  }
  return nullptr;
}

void RecvConnection::finish_part() {
  current_ = nullptr;
  // Not always the first: grouped receives can finish out of order.
  if (--current_owner_->parts_left == 0) queue_.remove(current_owner_);
}

}  // namespace netsense::reference
