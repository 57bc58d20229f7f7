#include "plugin/collnet/lanes.h"

#include "plugin/core/log.h"

namespace netsense::collnet {
namespace {

// A message of this size is sent even if more is to follow: the network should not wait.
constexpr size_t kEnough = size_t{64} << 10;

}  // namespace

std::byte* SendLane::reserve(size_t bytes) {
  if (closed_ - sent_ >= messages_.size()) return nullptr;
  if (at(closed_).size + kPartHeaderBytes + bytes > kMessageBytes) {
    close();
    if (closed_ - sent_ >= messages_.size()) return nullptr;
  }
  return at(closed_).bytes.get() + at(closed_).size + kPartHeaderBytes;
}

void SendLane::commit(const PartHeader& header, int data_type) {
  Message& message = at(closed_);
  const bool raw = header.kind == PartKind::kRaw;
  if (message.size == 0) {
    message.hints = {.data_type = raw ? data_type : -1,
                     .content = raw ? transport::Content::kPlain : transport::Content::kCoded};
  } else if (!raw || message.hints.data_type != data_type) {
    message.hints = {.content = transport::Content::kCoded};
  }
  write_part_header(header, message.bytes.get() + message.size);
  message.size += kPartHeaderBytes + header.bytes;
  if (message.size >= kEnough) close();
}

Status SendLane::post() {
  for (; posted_ < closed_; ++posted_) {
    Message& message = at(posted_);
    const Status status =
        comm_->isend(message.bytes.get(), message.size, 0, nullptr, message.hints, &message.request);
    if (status != Status::kOk) return status;
    if (message.request == nullptr) break;
  }
  return Status::kOk;
}

Status SendLane::flush() {
  if (closed_ - sent_ < messages_.size() && at(closed_).size != 0) close();
  return post();
}

Status SendLane::poll(bool* moved) {
  if (sent_ == closed_) return Status::kOk;
  if (const Status status = post(); status != Status::kOk) return status;
  while (sent_ < posted_) {
    Message& message = at(sent_);
    bool done = false;
    size_t bytes = 0;
    const Status status = comm_->test(message.request, &done, &bytes);
    if (status != Status::kOk) return status;
    if (!done) break;
    message.request = nullptr;
    message.size = 0;
    ++sent_;
    *moved = true;
  }
  return Status::kOk;
}

Status RecvLane::post() {
  for (; posted_ - taken_ < messages_.size(); ++posted_) {
    Message& message = messages_[posted_ % messages_.size()];
    const Status status =
        comm_->irecv(message.bytes.get(), kMessageBytes, 0, nullptr, false, &message.request);
    if (status != Status::kOk) return status;
    if (message.request == nullptr) break;
  }
  return Status::kOk;
}

Status RecvLane::next_part() {
  part_ = take_part(&rest_);
  if (part_) {
    ++parts_;
    return Status::kOk;
  }
  NETSENSE_WARN("the all-reduce with peer {} failed: it sent a malformed message", peer_);
  return Status::kRemoteError;
}

Status RecvLane::poll(bool* moved) {
  if (part_ || parts_ >= expected_) return Status::kOk;
  if (const Status status = post(); status != Status::kOk) return status;
  if (taken_ == posted_) return Status::kOk;
  Message& message = messages_[taken_ % messages_.size()];
  bool done = false;
  const Status status = comm_->test(message.request, &done, &message.size);
  if (status != Status::kOk || !done) return status;
  message.request = nullptr;
  *moved = true;
  rest_ = {message.bytes.get(), message.size};
  return next_part();
}

Status RecvLane::pop() {
  part_.reset();
  if (!rest_.empty()) return next_part();
  ++taken_;
  return Status::kOk;
}

}  // namespace netsense::collnet
