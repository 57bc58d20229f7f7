#include "plugin/transport/tcp/send_stream.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "plugin/core/checksum.h"
#include "plugin/transport/tcp/remote_error.h"
#include "plugin/transport/tcp/send_comm.h"
#include "plugin/transport/tcp/socket.h"
#include "plugin/transport/tcp/trace_records.h"

namespace netsense::tcp {
namespace {

using std::chrono::milliseconds;

// The kernel's queue is looked at this often at most; one ioctl each.
constexpr std::chrono::microseconds kMeasureEvery{500};
// The path too where bytes wait, and less often where none do: there a look is a cost without a use.
constexpr std::chrono::microseconds kSenseIdleEvery{2000};
// A stream too slow to be given blocks gets a small one now and then: it may have become fast again.
constexpr size_t kProbeBytes = size_t{16} << 10;
constexpr milliseconds kProbeEvery{1000};
// A message may wait for a probe, so that a probe may take one part in this many of the time.
constexpr double kProbeRest = 20;
// When the last probe raised the estimate this much, the next one follows at once.
constexpr double kPromising = 1.5;

// Of one system call: all of it passes through the cache for its checksum first.
constexpr size_t kBatchBytes = size_t{512} << 10;
// What a reactor thread sends in one go before it looks after others.
constexpr size_t kReactorBudget = size_t{2} << 20;

uint32_t microseconds_now() {
  return static_cast<uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch()).count());
}

}  // namespace

SendStream::SendStream(TcpSendComm& owner, core::Fd fd, size_t index)
    : owner_(owner),
      fd_(std::move(fd)),
      index_(index),
      coder_(owner.coding().on() ? std::make_unique<BlockCoder>(owner.tuning().block_bytes) : nullptr),
      sampler_(fd_.get()) {}

void SendStream::start_watching() {
  const auto tick =
      std::clamp<milliseconds>(owner_.tuning().peer_timeout / 8, milliseconds(250), milliseconds(2000));
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
  if (progress != Progress::kIdle && progress != Progress::kDeclined)
    return;  // still asked: epoll calls again
  Reactor::modify(registration_, EPOLLIN);
  write_requested_.store(false, std::memory_order_seq_cst);
  // Whoever posted a message, or could write only a part of one, since drive() looked found the request still
  // standing and did not repeat it. Declined work is the business of the stream that this one stood back for.
  if (holds_blocks_.load(std::memory_order_seq_cst)) request_write();
  if (!owner_.queue().all_cut()) owner_.wake_fastest();
}

// A peer whose host is gone does not answer. Retransmissions or probes of a closed window that stay
// unanswered for the time limit say so; a peer that merely does not read answers its probes.
void SendStream::on_tick(Clock::time_point now) {
  if (index_ == 0) owner_.coding().review(now);
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

void SendStream::on_exception(const char* what) {
  owner_.fail(Status::kSystemError, what);
}

SendStream::Progress SendStream::drive(size_t budget) {
  if (!writing_.try_lock()) return Progress::kBusy;
  if (owner_.stream_count() > 1 || owner_.coding().senses()) measure(Clock::now());
  Progress result = Progress::kIdle;
  size_t written = 0;
  while (owner_.health().ok() && (!batch_.empty() || load_batch(budget - written, &result))) {
    result = write_some(&written);
    if (result != Progress::kIdle) break;
    if (written >= budget) {
      result = Progress::kBudget;
      break;
    }
  }
  holds_blocks_.store(!batch_.empty(), std::memory_order_seq_cst);
  writing_.unlock();
  return owner_.health().ok() ? result : Progress::kFailed;
}

bool SendStream::load_batch(size_t budget, Progress* result) {
  if (owner_.stream_count() > 1) {
    // One block at a time: what this stream holds, no other can send.
    const size_t limit = choose_size();
    *result = limit == 0 ? Progress::kDeclined : Progress::kIdle;
    return limit != 0 && load_block(limit);
  }
  const size_t bytes = std::min(budget, kBatchBytes);
  while (!batch_.full() && (batch_.empty() || batch_.bytes() < bytes)) {
    if (!load_block(owner_.tuning().block_bytes)) break;
    // The network should not wait for the coding of the next.
    if (batch_.holds_coded()) break;
  }
  *result = Progress::kIdle;
  return !batch_.empty();
}

bool SendStream::load_block(size_t limit) {
  const Block block = owner_.queue().cut(limit);
  if (block.request == nullptr) return false;
  const SendRequest& request = *block.request;
  core::FrameHeader header;
  header.sequence = request.sequence;
  header.message_bytes = request.bytes;
  header.offset = block.offset;
  header.raw_bytes = static_cast<uint32_t>(block.bytes);
  std::span<const std::byte> payload = block.raw();
  Coding coding{.decision = {.reason = request.coding.held_back}};
  if (request.coding.codable()) {
    coding = code(block);
    if (!coding.coded.empty()) {
      header.codec = core::Codec::kLossless;
      payload = coding.coded;
    }
  } else {
    owner_.counters().ineligible();
  }
  owner_.counters().block(block.bytes, core::kFrameHeaderBytes + payload.size());
  if (owner_.trace().on()) {
    owner_.trace().put(Clock::now(), index_, trace_of(block, coding.decision, coding.took, payload.size()));
  }
  header.coded_bytes = static_cast<uint32_t>(payload.size());
  header.tag = request.tag;
  header.frame_number = frame_number_++;
  header.sent_us = microseconds_now();
  if (owner_.tuning().checksum) {
    header.flags = core::kFlagPayloadChecksum;
    header.payload_checksum = core::block_checksum(payload.data(), payload.size());
  }
  batch_.add(block, core::encode_frame(header), payload);
  return true;
}

SendStream::Coding SendStream::code(const Block& block) {
  const Clock::time_point begin = Clock::now();
  SendCoding& coding = owner_.coding();
  const SendCoding::Decision decision = coding.decide(begin, block);
  if (decision.action == adapt::Action::kRaw) {
    owner_.counters().without_gain();
    return {.decision = decision};
  }
  const kernels::Tier tier =
      decision.action == adapt::Action::kFast ? kernels::Tier::kFast : kernels::Tier::kTight;
  const auto coded = coder_->encode(batch_.next_slot(), tier, decision.type, block.raw());
  const Clock::time_point end = Clock::now();
  coding.coded(end, decision, block.bytes, coded.empty() ? block.bytes : coded.size(), end - begin);
  owner_.counters().coded(tier == kernels::Tier::kFast ? telemetry::Tier::kFast : telemetry::Tier::kTight,
                          !coded.empty(), end - begin);
  return {.decision = decision, .coded = coded, .took = end - begin};
}

// The size of the next block for this stream; 0: better leave it to the others.
size_t SendStream::choose_size() {
  const size_t share = owner_.share(*this);
  if (share != 0) return share;
  if (backlog() != 0) return 0;
  const auto now = Clock::now();
  const double rate = bytes_per_second();
  if (now < next_probe_ && rate < kPromising * probed_rate_) return 0;
  const std::chrono::duration<double> rest(kProbeRest * kProbeBytes / std::max(rate, 1.0));
  next_probe_ =
      now + std::clamp(std::chrono::duration_cast<milliseconds>(rest), kProbeEvery, 30 * kProbeEvery);
  probed_rate_ = rate;
  return std::min(kProbeBytes, owner_.tuning().block_bytes);
}

// One system call. kIdle: the batch is out.
SendStream::Progress SendStream::write_some(size_t* written) {
  SendBatch::Parts parts;
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = batch_.parts(&parts);
  const ssize_t result = ::sendmsg(fd_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (result < 0) {
    if (errno == EAGAIN || errno == EINTR) return Progress::kBlocked;
    fail_io(errno);
    return Progress::kFailed;
  }
  const auto sent = static_cast<size_t>(result);
  *written += sent;
  written_ += sent;
  backlog_.fetch_add(sent, std::memory_order_relaxed);
  return batch_.wrote(sent) ? Progress::kIdle : Progress::kBlocked;
}

void SendStream::measure(Clock::time_point now) {
  if (now - last_measured_ < kMeasureEvery) return;
  last_measured_ = now;
  const uint64_t unacknowledged = unacknowledged_bytes(fd_.get());
  rate_.update(now, written_, unacknowledged);
  backlog_.store(unacknowledged, std::memory_order_relaxed);
  bytes_per_second_.store(rate_.bytes_per_second(), std::memory_order_relaxed);
  if (owner_.coding().senses() && (bytes_wait_ || now - last_sensed_ >= kSenseIdleEvery)) sense(now);
}

void SendStream::sense(Clock::time_point now) {
  last_sensed_ = now;
  const std::optional<probe::Sample> sample = sampler_.sample(now, written_);
  if (!sample) return;
  path_.update(*sample);
  const bool backed_up = sample->unsent_bytes > 0 && !sample->receiver_limited;
  const probe::Estimate path = path_.estimate(now);
  bytes_wait_ = adapt::Congestion::is_sign(path, backed_up);
  owner_.coding().sensed(now, index_,
                         {.path = path,
                          .delivered_bytes = sample->delivered_bytes,
                          .backed_up = backed_up,
                          .receiver_limited = sample->receiver_limited},
                         &owner_.counters(), owner_.trace());
  const uint32_t retransmits = sampler_.info().retransmitted_segments;
  owner_.counters().retransmitted(retransmits - retransmits_);
  retransmits_ = retransmits;
}

void SendStream::read_reverse() {
  if (!reading_.try_lock()) return;
  for (;;) {
    const ssize_t got =
        ::recv(fd_.get(), reverse_.data() + reverse_got_, reverse_.size() - reverse_got_, MSG_DONTWAIT);
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
  const core::FrameError error = core::parse_frame(
      std::span<const std::byte, core::kFrameHeaderBytes>(reverse_.data(), core::kFrameHeaderBytes),
      transport::kMaxMessage, &header);
  if (error != core::FrameError::kNone) {
    owner_.fail(Status::kRemoteError,
                fmt::format("{}: the data were damaged on the way", core::describe(error)));
    return false;
  }
  const size_t frame =
      core::kFrameHeaderBytes + (header.type == core::FrameType::kError ? header.coded_bytes : 0);
  if (reverse_got_ < frame) return false;
  switch (header.type) {
    case core::FrameType::kAck:
      owner_.on_acknowledged(header.sequence);
      break;
    case core::FrameType::kError: {
      const RemoteError remote = read_error(header, reverse_.data() + core::kFrameHeaderBytes);
      owner_.fail(remote.status, remote.text);
      break;
    }
    default:
      owner_.fail(Status::kRemoteError, "it sent a frame that a receiver never sends");
      break;
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

void SendStream::hang_up() {
  (void)::shutdown(fd_.get(), SHUT_WR);
}

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
