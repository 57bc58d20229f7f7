#include "plugin/transport/tcp/send_stream.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "plugin/core/checksum.h"
#include "plugin/transport/tcp/remote_error.h"
#include "plugin/transport/tcp/send_comm.h"
#include "plugin/transport/tcp/socket.h"

namespace netsense::tcp {
namespace {

using std::chrono::milliseconds;

// The kernel's queue is looked at this often at most; one ioctl each.
constexpr std::chrono::microseconds kMeasureEvery{500};
// A stream too slow to be given blocks gets a small one now and then: it may have become fast again.
constexpr milliseconds kProbeEvery{1000};
constexpr size_t kProbeBytes = size_t{16} << 10;
// What a reactor thread sends in one go before it looks after others.
constexpr size_t kReactorBudget = size_t{2} << 20;

uint32_t microseconds_now() {
  return static_cast<uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch()).count());
}

}  // namespace

SendStream::SendStream(TcpSendComm& owner, core::Fd fd, size_t index)
    : owner_(owner), fd_(std::move(fd)), index_(index) {}

void SendStream::start_watching() {
  const auto tick = std::clamp<milliseconds>(owner_.tuning().peer_timeout / 8, milliseconds(250), milliseconds(2000));
  owner_.reactor().add(fd_.get(), EPOLLIN, this, &registration_, tick);
}

void SendStream::request_write() {
  if (!write_requested_.exchange(true, std::memory_order_seq_cst)) {
    Reactor::modify(registration_, EPOLLIN | EPOLLOUT);
  }
}

void SendStream::on_event(uint32_t events) {
  if ((events & ~static_cast<uint32_t>(EPOLLOUT)) != 0) read_reverse();
  if (!owner_.health().ok()) return Reactor::silence(registration_);
  if ((events & EPOLLOUT) == 0) return;
  const Progress progress = drive(kReactorBudget);
  if (progress != Progress::kIdle && progress != Progress::kDeclined) return;  // still asked: epoll calls again
  Reactor::modify(registration_, EPOLLIN);
  write_requested_.store(false, std::memory_order_seq_cst);
  // A message posted since drive() looked found the request still standing and did not repeat it. Declined work is
  // the business of the stream that this one stood back for.
  if (!owner_.queue().all_cut()) owner_.wake_fastest();
}

// A peer whose host is gone does not answer. Retransmissions or probes of a closed window that stay unanswered for
// the time limit say so; a peer that merely does not read answers its probes.
void SendStream::on_tick(Clock::time_point /*now*/) {
  if (!owner_.health().ok() || unacknowledged_bytes(fd_.get()) == 0) {
    suspicious_ = false;
    return;
  }
  const Liveness liveness = read_liveness(fd_.get());
  const bool silent = liveness.waiting && liveness.since_ack >= owner_.tuning().peer_timeout;
  // Twice in a row: between a probe and its answer a living peer looks dead.
  if (silent && suspicious_) fail_io(ETIMEDOUT);
  suspicious_ = silent;
}

SendStream::Progress SendStream::drive(size_t budget) {
  if (!writing_.try_lock()) return Progress::kBusy;
  if (owner_.stream_count() > 1) measure(Clock::now());
  Progress result = Progress::kIdle;
  size_t written = 0;
  while (owner_.health().ok() && (block_.request != nullptr || load_block(&result))) {
    result = write_some(&written);
    if (result != Progress::kIdle) break;
    if (written >= budget) {
      result = Progress::kBudget;
      break;
    }
  }
  writing_.unlock();
  return owner_.health().ok() ? result : Progress::kFailed;
}

bool SendStream::load_block(Progress* result) {
  size_t limit = owner_.tuning().block_bytes;
  if (owner_.stream_count() > 1) {
    const auto now = Clock::now();
    if (!owner_.should_take(*this, limit)) {
      if (now - last_taken_ < kProbeEvery || backlog_.load(std::memory_order_relaxed) != 0) {
        *result = Progress::kDeclined;
        return false;
      }
      limit = std::min(limit, kProbeBytes);
    }
    last_taken_ = now;
  }
  block_ = owner_.queue().cut(limit);
  if (block_.request == nullptr) {
    *result = Progress::kIdle;
    return false;
  }
  const SendRequest& request = *block_.request;
  core::FrameHeader header;
  header.sequence = request.sequence;
  header.message_bytes = request.bytes;
  header.offset = block_.offset;
  header.raw_bytes = static_cast<uint32_t>(block_.bytes);
  header.coded_bytes = header.raw_bytes;
  header.tag = request.tag;
  header.frame_number = frame_number_++;
  header.sent_us = microseconds_now();
  if (owner_.tuning().checksum) {
    header.flags = core::kFlagPayloadChecksum;
    header.payload_checksum = core::block_checksum(request.data + block_.offset, block_.bytes);
  }
  header_ = core::encode_frame(header);
  position_ = 0;
  return true;
}

// One system call. kIdle: the block is out.
SendStream::Progress SendStream::write_some(size_t* written) {
  const size_t total = header_.size() + block_.bytes;
  std::array<iovec, 2> parts{};
  int count = 0;
  if (position_ < header_.size()) {
    parts[static_cast<size_t>(count++)] = {header_.data() + position_, header_.size() - position_};
  }
  const size_t payload_at = position_ - std::min(position_, header_.size());
  if (payload_at < block_.bytes) {
    auto* payload = const_cast<std::byte*>(block_.request->data + block_.offset + payload_at);
    parts[static_cast<size_t>(count++)] = {payload, block_.bytes - payload_at};
  }
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = static_cast<size_t>(count);
  const ssize_t sent = ::sendmsg(fd_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0) {
    if (errno == EAGAIN || errno == EINTR) return Progress::kBlocked;
    fail_io(errno);
    return Progress::kFailed;
  }
  position_ += static_cast<size_t>(sent);
  *written += static_cast<size_t>(sent);
  written_ += static_cast<uint64_t>(sent);
  if (position_ < total) return Progress::kBlocked;
  SendQueue::sent(block_);
  block_ = {};
  return Progress::kIdle;
}

void SendStream::measure(Clock::time_point now) {
  if (now - last_measured_ < kMeasureEvery) return;
  last_measured_ = now;
  const uint64_t unacknowledged = unacknowledged_bytes(fd_.get());
  rate_.update(now, written_, unacknowledged);
  backlog_.store(unacknowledged, std::memory_order_relaxed);
  bytes_per_second_.store(rate_.bytes_per_second(), std::memory_order_relaxed);
}

void SendStream::read_reverse() {
  if (!reading_.try_lock()) return;
  for (;;) {
    const ssize_t got = ::recv(fd_.get(), reverse_.data() + reverse_got_, reverse_.size() - reverse_got_, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0) {
      owner_.on_peer_closed(got == 0 ? "it closed the connection" : std::strerror(errno));
      // The socket would report its end without end.
      Reactor::silence(registration_);
      break;
    }
    reverse_got_ += static_cast<size_t>(got);
    while (handle_reverse()) {
    }
    if (!owner_.health().ok()) break;
  }
  reading_.unlock();
}

// Takes one whole frame off the front of reverse_, if there is one.
bool SendStream::handle_reverse() {
  if (reverse_got_ < core::kFrameHeaderBytes) return false;
  core::FrameHeader header;
  const core::FrameError error =
      core::parse_frame(std::span<const std::byte, core::kFrameHeaderBytes>(reverse_.data(), core::kFrameHeaderBytes),
                        transport::kMaxMessage, &header);
  if (error != core::FrameError::kNone) {
    owner_.fail(Status::kRemoteError,
                fmt::format("{}: the data were damaged on the way", core::describe(error)));
    return false;
  }
  const size_t frame = core::kFrameHeaderBytes + (header.type == core::FrameType::kError ? header.coded_bytes : 0);
  if (reverse_got_ < frame) return false;
  switch (header.type) {
    case core::FrameType::kAck: owner_.on_acknowledged(header.sequence); break;
    case core::FrameType::kError: {
      const RemoteError remote = read_error(header, reverse_.data() + core::kFrameHeaderBytes);
      owner_.fail(remote.status, remote.text);
      break;
    }
    default: owner_.fail(Status::kRemoteError, "it sent a frame that a receiver never sends"); break;
  }
  std::memmove(reverse_.data(), reverse_.data() + frame, reverse_got_ - frame);
  reverse_got_ -= frame;
  return owner_.health().ok();
}

void SendStream::fail_io(int error) {
  // The peer may have said why before it closed; that is worth more than "connection reset".
  read_reverse();
  owner_.fail(Status::kRemoteError, std::strerror(error));
}

void SendStream::hang_up() { (void)::shutdown(fd_.get(), SHUT_WR); }

core::Fd SendStream::take_socket(core::FrameBytes* close_frame, uint64_t messages) {
  core::FrameHeader header;
  header.type = core::FrameType::kClose;
  header.sequence = messages;
  header.frame_number = frame_number_;
  header.sent_us = microseconds_now();
  *close_frame = core::encode_frame(header);
  return std::move(fd_);
}

}  // namespace netsense::tcp
