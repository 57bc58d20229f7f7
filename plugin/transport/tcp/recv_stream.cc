#include "plugin/transport/tcp/recv_stream.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "plugin/core/checksum.h"
#include "plugin/core/ordered_copy.h"
#include "plugin/transport/tcp/recv_comm.h"
#include "plugin/transport/tcp/remote_error.h"
#include "plugin/transport/tcp/trace_records.h"

namespace netsense::tcp {
namespace {

// What a reactor thread receives in one go before it looks after others.
constexpr size_t kReactorBudget = size_t{2} << 20;

}  // namespace

RecvStream::RecvStream(TcpRecvComm& owner, core::Fd fd, size_t block_bytes)
    : owner_(owner),
      fd_(std::move(fd)),
      staging_(block_bytes),
      decoded_(block_bytes),
      scratch_(std::make_unique_for_overwrite<kernels::Scratch>()) {}

void RecvStream::start_watching() {
  owner_.reactor().add(fd_.get(), 0, this, &registration_);
}

void RecvStream::request_read() {
  if (!read_requested_.exchange(true, std::memory_order_seq_cst)) Reactor::modify(registration_, EPOLLIN);
}

void RecvStream::resume() {
  if (stalled_.exchange(false, std::memory_order_seq_cst)) request_read();
}

void RecvStream::on_event(uint32_t events) {
  const Progress progress = drive(kReactorBudget, nullptr);
  const bool hung_up = (events & (EPOLLHUP | EPOLLERR)) != 0;
  if (progress == Progress::kEnded || (progress == Progress::kStalled && hung_up)) {
    // A dead socket would report its death without end. What it still holds is read by test().
    owner_.leave_bulk();
    silenced_.store(true, std::memory_order_release);
    return Reactor::silence(registration_);
  }
  if (progress == Progress::kStalled) {
    Reactor::modify(registration_, 0);
    read_requested_.store(false, std::memory_order_seq_cst);
    stalled_.store(true, std::memory_order_seq_cst);
    // NCCL may have posted the receive before it could see that we stalled.
    if (owner_.ring().posted() > stalled_on_.load(std::memory_order_relaxed)) resume();
  } else if (progress == Progress::kWaiting && !owner_.bulk()) {
    // Small messages again: test() polls for them, waking this thread would only delay them.
    Reactor::modify(registration_, 0);
    read_requested_.store(false, std::memory_order_seq_cst);
    // A large message that test() saw begin meanwhile found the request still standing.
    if (owner_.bulk()) request_read();
  }
}

void RecvStream::on_exception(const char* what) {
  owner_.fail(Status::kSystemError, what);
}

RecvStream::Progress RecvStream::drive(size_t budget, const std::atomic<bool>* until) {
  if (!reading_.try_lock()) return Progress::kBusy;
  Progress result = Progress::kEnded;
  size_t received = 0;
  while (owner_.health().ok() && !ended()) {
    if (!in_frame_ && !read_header(&result)) break;
    if (!in_frame_) continue;
    if (request_ == nullptr && !match(&result)) break;
    if (!read_payload(&result)) break;
    received += core::kFrameHeaderBytes + header_.coded_bytes;
    if (!finish_block()) break;
    result = Progress::kBudget;
    if (received >= budget || (until != nullptr && until->load(std::memory_order_relaxed))) break;
  }
  const bool next_header = !in_frame_ && ahead_end_ - ahead_begin_ >= wanted_ahead_;
  has_read_ahead_.store(next_header || (in_frame_ && result != Progress::kWaiting),
                        std::memory_order_release);
  reading_.unlock();
  return owner_.health().ok() && !ended() ? result : Progress::kEnded;
}

// Leaves in_frame_ set when a data frame's header has been taken.
bool RecvStream::read_header(Progress* result) {
  size_t have = ahead_end_ - ahead_begin_;
  if (have < wanted_ahead_) {
    std::memmove(ahead_.data(), ahead_.data() + ahead_begin_, have);
    ahead_begin_ = 0;
    ahead_end_ = have;
    const ssize_t got = ::recv(fd_.get(), ahead_.data() + have, ahead_.size() - have, MSG_DONTWAIT);
    if (got < 0) {
      if (errno != EAGAIN && errno != EINTR) owner_.fail(Status::kRemoteError, std::strerror(errno));
      *result = Progress::kWaiting;
      return false;
    }
    if (got == 0) {
      on_end_of_stream();
      return false;
    }
    ahead_end_ += static_cast<size_t>(got);
    have = ahead_end_;
    if (have < wanted_ahead_) {
      *result = Progress::kWaiting;
      return false;
    }
  }
  return handle_header(result);
}

bool RecvStream::handle_header(Progress* result) {
  const core::FrameError error = core::parse_frame(std::span<const std::byte, core::kFrameHeaderBytes>(
                                                       ahead_.data() + ahead_begin_, core::kFrameHeaderBytes),
                                                   transport::kMaxMessage, &header_);
  if (error != core::FrameError::kNone) {
    owner_.fail_and_tell(*this, Status::kRemoteError,
                         fmt::format("{}: the data were damaged on the way", core::describe(error)));
    return false;
  }
  if (header_.frame_number != frame_number_) {
    owner_.fail_and_tell(
        *this, Status::kRemoteError,
        fmt::format("frame {} came where frame {} was due", header_.frame_number, frame_number_));
    return false;
  }
  switch (header_.type) {
    case core::FrameType::kData:
      if (header_.raw_bytes > staging_.size()) {
        owner_.fail_and_tell(*this, Status::kRemoteError, "a block is larger than the peer had announced");
        return false;
      }
      in_frame_ = true;
      break;
    case core::FrameType::kError: {
      wanted_ahead_ = core::kFrameHeaderBytes + header_.coded_bytes;
      if (ahead_end_ - ahead_begin_ < wanted_ahead_) return read_header(result);
      const RemoteError remote = read_error(header_, ahead_.data() + ahead_begin_ + core::kFrameHeaderBytes);
      owner_.fail(remote.status, remote.text);
      return false;
    }
    case core::FrameType::kClose:
      close_seen_ = true;
      break;
    case core::FrameType::kAck:
      owner_.fail_and_tell(*this, Status::kRemoteError, "it sent a frame that a sender never sends");
      return false;
  }
  ++frame_number_;
  ahead_begin_ += core::kFrameHeaderBytes;
  return true;
}

// Finds the receive that this block belongs to.
bool RecvStream::match(Progress* result) {
  RecvRequest* request = owner_.ring().find(header_.sequence);
  if (request == nullptr) {
    stalled_on_.store(header_.sequence, std::memory_order_relaxed);
    *result = Progress::kStalled;
    return false;
  }
  if (request->sequence != header_.sequence || request->done.load(std::memory_order_acquire)) {
    owner_.fail_and_tell(*this, Status::kRemoteError, fmt::format("message {} came twice", header_.sequence));
    return false;
  }
  uint64_t expected = kUnknownSize;
  if (!request->message_bytes.compare_exchange_strong(expected, header_.message_bytes,
                                                      std::memory_order_acq_rel) &&
      expected != header_.message_bytes) {
    owner_.fail_and_tell(*this, Status::kRemoteError,
                         fmt::format("message {} has two different sizes", header_.sequence));
    return false;
  }
  if (header_.message_bytes > request->capacity) {
    owner_.fail_and_tell(
        *this, Status::kInvalidUsage,
        fmt::format(
            "message truncated: {} bytes were sent and {} bytes posted to receive (message {}, tag {}). The "
            "ranks do not agree on the size: check counts and types of the collective, and that every rank "
            "has the same NCCL_* and NETSENSE_* environment",
            header_.message_bytes, request->capacity, header_.sequence, header_.tag));
    return false;
  }
  request_ = request;
  owner_.on_message_size(header_.message_bytes);
  return begin_payload();
}

bool RecvStream::begin_payload() {
  in_message_.store(true, std::memory_order_relaxed);
  const bool straight = header_.codec == core::Codec::kRaw && header_.message_bytes > request_->careful_up_to;
  target_ = straight ? request_->data + header_.offset : staging_.data();
  got_ = std::min<size_t>(header_.coded_bytes, ahead_end_ - ahead_begin_);
  if (!straight && got_ == header_.coded_bytes) {
    // The whole block was read ahead: no need to move it to the staging buffer first.
    target_ = ahead_.data() + ahead_begin_;
  } else {
    std::memcpy(target_, ahead_.data() + ahead_begin_, got_);
  }
  ahead_begin_ += got_;
  return true;
}

bool RecvStream::read_payload(Progress* result) {
  while (got_ < header_.coded_bytes) {
    // One call for the rest of the block and whatever follows it.
    std::array<iovec, 2> parts{
        {{target_ + got_, header_.coded_bytes - got_}, {ahead_.data(), ahead_.size()}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t received = ::recvmsg(fd_.get(), &message, MSG_DONTWAIT);
    if (received < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN) owner_.fail(Status::kRemoteError, std::strerror(errno));
      *result = Progress::kWaiting;
      return false;
    }
    if (received == 0) {
      on_end_of_stream();
      return false;
    }
    const size_t block = std::min(static_cast<size_t>(received), header_.coded_bytes - got_);
    got_ += block;
    ahead_begin_ = 0;
    ahead_end_ = static_cast<size_t>(received) - block;
  }
  return true;
}

bool RecvStream::verify_payload() {
  if ((header_.flags & core::kFlagPayloadChecksum) == 0 ||
      core::block_checksum(target_, header_.coded_bytes) == header_.payload_checksum) {
    return true;
  }
  owner_.fail_and_tell(
      *this, Status::kRemoteError,
      fmt::format("bytes {} to {} of message {} fail their checksum: the data were damaged on the "
                  "way. Check the cables, network cards and switches between the two hosts",
                  header_.offset, header_.offset + header_.raw_bytes, header_.sequence));
  return false;
}

// Brings the block from where it was received to where NCCL wants it.
bool RecvStream::deliver(Clock::duration* decoding) {
  std::byte* const to = request_->data + header_.offset;
  const std::byte* from = target_;
  if (header_.codec == core::Codec::kLossless) {
    const bool careful = header_.message_bytes <= request_->careful_up_to;
    std::byte* const into = careful ? decoded_.data() : to;
    const Clock::time_point begin = Clock::now();
    const kernels::DecodeStatus status =
        kernels::decode(target_, header_.coded_bytes, into, header_.raw_bytes, *scratch_);
    if (status != kernels::DecodeStatus::kOk) {
      owner_.fail_and_tell(
          *this, Status::kRemoteError,
          fmt::format("bytes {} to {} of message {} cannot be decompressed: {}", header_.offset,
                      header_.offset + header_.raw_bytes, header_.sequence, kernels::describe(status)));
      return false;
    }
    *decoding = Clock::now() - begin;
    owner_.counters().decoded(*decoding);
    from = into;
  } else {
    owner_.counters().received_raw();
  }
  if (from != to && header_.raw_bytes != 0) core::ordered_copy(to, from, header_.raw_bytes);
  return true;
}

bool RecvStream::finish_block() {
  const bool traced = owner_.trace().on();
  const Clock::time_point arrived = traced ? Clock::now() : Clock::time_point();
  Clock::duration decoding{};
  if (!verify_payload() || !deliver(&decoding)) return false;
  if (traced) owner_.trace().put(arrived, 0, trace_of(header_, decoding));
  owner_.counters().block(header_.raw_bytes, core::kFrameHeaderBytes + header_.coded_bytes);
  const uint64_t received =
      request_->received.fetch_add(header_.raw_bytes, std::memory_order_acq_rel) + header_.raw_bytes;
  if (received > header_.message_bytes) {
    owner_.fail_and_tell(*this, Status::kRemoteError,
                         fmt::format("message {} has overlapping blocks", header_.sequence));
    return false;
  }
  in_message_.store(received < header_.message_bytes, std::memory_order_relaxed);
  if (received == header_.message_bytes) request_->done.store(true, std::memory_order_release);
  request_ = nullptr;
  in_frame_ = false;
  return true;
}

void RecvStream::on_end_of_stream() {
  if (close_seen_ && !in_frame_ && ahead_begin_ == ahead_end_) {
    ended_.store(true, std::memory_order_release);
    return;
  }
  owner_.fail(Status::kRemoteError, "it closed the connection without notice");
}

template <typename MakeFrame>
void RecvStream::write_reverse(MakeFrame&& make_frame) {
  if (!answering_.try_lock()) return;
  if (!answer_rest_.empty()) {
    const ssize_t sent =
        ::send(fd_.get(), answer_rest_.data(), answer_rest_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) answer_rest_.erase(answer_rest_.begin(), answer_rest_.begin() + sent);
  }
  if (answer_rest_.empty()) {
    const auto bytes = make_frame(answer_number_);
    const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      ++answer_number_;
      answer_rest_.assign(bytes.begin() + sent, bytes.end());
    }
  }
  answering_.unlock();
}

void RecvStream::acknowledge(uint64_t messages, uint64_t bytes) {
  core::FrameHeader header;
  header.type = core::FrameType::kAck;
  header.sequence = messages;
  header.offset = bytes;
  write_reverse([&](uint32_t frame_number) {
    header.frame_number = frame_number;
    return core::encode_frame(header);
  });
}

void RecvStream::send_error(Status status, std::string_view text) {
  write_reverse([&](uint32_t frame_number) { return make_error(status, text, frame_number); });
}

void RecvStream::hang_up() {
  (void)::shutdown(fd_.get(), SHUT_WR);
}

}  // namespace netsense::tcp
