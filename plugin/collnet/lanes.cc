#include "plugin/collnet/lanes.h"

#include <utility>

#include "plugin/core/log.h"

namespace netsense::collnet {
namespace {

// So much is sent even if more is to follow: the network should not wait.
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

bool SendLane::has_room_apart() const {
  const bool header_fits = open().size + kPartHeaderBytes <= kMessageBytes;
  return messages_.size() - (closed_ - sent_) >= (header_fits ? 2 : 3);
}

void SendLane::commit_apart(const PartHeader& header, const std::byte* elements, int data_type,
                            uint64_t token) {
  if (at(closed_).size + kPartHeaderBytes > kMessageBytes) close();
  Message& message = at(closed_);
  message.hints = {.content = transport::Content::kCoded};
  write_part_header(header, message.bytes.get() + message.size);
  message.size += kPartHeaderBytes;
  close();
  Message& body = at(closed_);
  body.apart = elements;
  body.size = header.bytes;
  body.token = token;
  body.hints = {.data_type = data_type, .content = transport::Content::kPlain};
  close();
}

Status SendLane::post() {
  for (; posted_ < closed_; ++posted_) {
    Message& message = at(posted_);
    const std::byte* data = message.apart != nullptr ? message.apart : message.bytes.get();
    message.hints.more = posted_ + 1 < closed_;
    const Status status = comm_->isend(data, message.size, 0, nullptr, message.hints, &message.request);
    if (status != Status::kOk) return status;
    if (message.request == nullptr) break;
    waiting_ -= message.size;
  }
  return Status::kOk;
}

Status SendLane::flush(bool* moved) {
  if (closed_ - sent_ < messages_.size() && at(closed_).size != 0) close();
  const uint64_t before = posted_;
  const Status status = post();
  *moved = *moved || posted_ != before;
  return status;
}

Status SendLane::poll(bool* moved, uint64_t* token) {
  *token = 0;
  if (sent_ == closed_) return Status::kOk;
  if (waiting_ >= kEnough || closed_ - sent_ == messages_.size()) {
    if (const Status status = post(); status != Status::kOk) return status;
  }
  while (sent_ < posted_ && *token == 0) {
    Message& message = at(sent_);
    bool done = false;
    size_t bytes = 0;
    const Status status = comm_->test(message.request, &done, &bytes);
    if (status != Status::kOk) return status;
    if (!done) break;
    *token = std::exchange(message.token, 0);
    message.request = nullptr;
    message.apart = nullptr;
    message.size = 0;
    ++sent_;
    *moved = true;
  }
  return Status::kOk;
}

Status RecvLane::post() {
  for (; posted_ - taken_ < messages_.size(); ++posted_) {
    Message& message = messages_[posted_ % messages_.size()];
    const Status status = comm_->irecv(message.bytes.get(), kMessageBytes, 0, nullptr,
                                       transport::Reader::kWaits, &message.request);
    if (status != Status::kOk) return status;
    if (message.request == nullptr) break;
  }
  return Status::kOk;
}

Status RecvLane::malformed() {
  NETSENSE_WARN("the collective with peer {} failed: it sent a malformed message", peer_);
  return Status::kRemoteError;
}

// The message's next part, or the elements of the one before.
Status RecvLane::next_part() {
  if (apart_) {
    if (rest_.size() != apart_->bytes) return malformed();
    part_ = Part{*apart_, std::exchange(rest_, {})};
    part_->header.kind = PartKind::kRaw;
    apart_.reset();
    ++parts_;
    return Status::kOk;
  }
  const std::optional<Part> part = take_part(&rest_);
  if (!part) return malformed();
  if (part->header.kind == PartKind::kApart) {
    if (!rest_.empty()) return malformed();
    apart_ = part->header;
    ++taken_;
    return Status::kOk;
  }
  part_ = part;
  ++parts_;
  return Status::kOk;
}

Status RecvLane::poll(bool* moved) {
  // After a header that stands apart from its elements, these may be there already.
  while (!part_ && parts_ < expected_) {
    if (const Status status = post(); status != Status::kOk) return status;
    if (taken_ == posted_) return Status::kOk;
    Message& message = messages_[taken_ % messages_.size()];
    bool done = false;
    Status status = comm_->test(message.request, &done, &message.size);
    if (status != Status::kOk || !done) return status;
    message.request = nullptr;
    *moved = true;
    rest_ = {message.bytes.get(), message.size};
    if (status = next_part(); status != Status::kOk) return status;
  }
  return Status::kOk;
}

Status RecvLane::pop() {
  part_.reset();
  if (!rest_.empty()) return next_part();
  ++taken_;
  return Status::kOk;
}

}  // namespace netsense::collnet
