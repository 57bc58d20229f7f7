#include "plugin/transport/tcp/send_comm.h"

#include <algorithm>
#include <limits>

#include "plugin/transport/tcp/socket.h"

namespace netsense::tcp {
namespace {

bool decodes(const Capabilities& peer) {
  return (peer.codecs & 1U << static_cast<uint8_t>(core::Codec::kLossless)) != 0;
}

// Up to this size NCCL's thread sends at once, whether or not there are helper threads: handing it over would
// cost more than the copy.
constexpr size_t kInlineBytes = size_t{64} << 10;
// What NCCL's thread sends per call when there are no helper threads.
constexpr size_t kInlineBudget = size_t{512} << 10;
// A stream may take what another would deliver this much earlier: estimates are no better.
constexpr double kDelayTolerance = 1.25;
constexpr double kDelayToleranceSeconds = 1e-3;
// A slower stream gets what it should deliver in this part of the time that the others take for a whole
// block: when it is late, all wait for it.
constexpr double kSlowMargin = 0.75;
// Smaller blocks are not worth their header; larger ones are cut to a multiple of this.
constexpr size_t kLeastShare = size_t{16} << 10;

double rate_of(const SendStream& stream, double assumed_rate) {
  const double measured = stream.bytes_per_second();
  return measured > 0 ? measured : assumed_rate;
}

// Seconds until `bytes` more would be acknowledged: what is on the way goes first.
double expected_delay(const SendStream& stream, size_t bytes, double assumed_rate) {
  return static_cast<double>(stream.backlog() + bytes) / rate_of(stream, assumed_rate);
}

}  // namespace

TcpSendComm::TcpSendComm(std::shared_ptr<Runtime> runtime, std::vector<core::Fd> streams, std::string peer,
                         const Capabilities& peer_capabilities, std::string device)
    : runtime_(std::move(runtime)),
      peer_(std::move(peer)),
      trace_(telemetry::open_trace(
          runtime_->tuning().trace.get(),
          {.direction = telemetry::Direction::kSend,
           .peer = peer_,
           .device = device,
           .streams = streams.size(),
           .coding = runtime_->tuning().coding.mode != config::Mode::kOff && decodes(peer_capabilities),
           .block_bytes = runtime_->tuning().block_bytes,
           .peer_block_bytes = peer_capabilities.block_bytes})),
      counters_(telemetry::Registry::of_process().open(
          runtime_->tuning().statistics, {.direction = telemetry::Direction::kSend,
                                          .peer = peer_,
                                          .device = std::move(device),
                                          .streams = streams.size(),
                                          .mode = static_cast<uint64_t>(runtime_->tuning().coding.mode)})),
      coding_(runtime_->tuning().coding, decodes(peer_capabilities), streams.size(), trace_.on()) {
  for (core::Fd& fd : streams) {
    // What the kernel has taken can no longer go to another stream: should this one become slow, the message
    // would wait for all of it.
    if (streams.size() > 1) limit_unsent(fd.get(), runtime_->tuning().block_bytes);
    streams_.push_back(std::make_unique<SendStream>(*this, std::move(fd), streams_.size()));
  }
  for (auto& stream : streams_) stream->start_watching();
}

TcpSendComm::~TcpSendComm() {
  stop();
  // Without a CLOSE frame the peer knows that this end gave up.
  if (!health_.ok() || !queue_.all_sent()) return;
  for (auto& stream : streams_) {
    core::FrameBytes close_frame;
    core::Fd fd = stream->take_socket(&close_frame, queue_.posted());
    try {
      runtime_->finish_close(std::move(fd), {close_frame.begin(), close_frame.end()});
    } catch (const std::exception& error) {
      NETSENSE_WARN("the connection to peer {} is cut instead of closed: {}", peer_, error.what());
    }
  }
}

Status TcpSendComm::isend(const void* data, size_t bytes, int tag, transport::Region* region,
                          const transport::MessageHints& hints, transport::Request** request) {
  if (!health_.ok()) return health_.status();
  regions_.settle();
  const adapt::Reason held_back = coding_.held_back(data, bytes, region, hints);
  SendRequest* posted =
      queue_.post(this, data, bytes, tag, {.held_back = held_back, .data_type = hints.data_type});
  *request = posted;
  if (posted == nullptr) return Status::kOk;
  if (peer_closed_.load(std::memory_order_seq_cst)) {
    *request = nullptr;
    fail(Status::kRemoteError, closed_why());
    return health_.status();
  }
  if (hints.more) return Status::kOk;
  if (tuning().threads == 0 || bytes <= kInlineBytes) {
    drive_inline(std::max(kInlineBytes, tuning().block_bytes));
  }
  if (tuning().threads > 0 && !posted->done()) {
    for (auto& stream : streams_) stream->request_write();
  }
  return Status::kOk;
}

Status TcpSendComm::deregister_memory(transport::Region* region) {
  if (region != nullptr && queue_.uses(*region)) {
    health_.end(Status::kInternalError);
    stop();
  }
  return regions_.remove(region);
}

void TcpSendComm::stop() {
  for (auto& stream : streams_) stream->stop_watching();
}

Status TcpSendComm::test(transport::Request* request, bool* done, size_t* bytes) {
  auto* asked = static_cast<SendRequest*>(request);
  if (!asked->done()) {
    if (!health_.ok()) return health_.status();
    if (tuning().threads == 0) drive_inline(kInlineBudget);
    if (!asked->done()) return health_.status();
  }
  *done = true;
  *bytes = asked->bytes;
  counters_->message();
  asked->in_use = false;
  return Status::kOk;
}

void TcpSendComm::drive_inline(size_t budget) {
  const size_t count = streams_.size();
  for (size_t i = 0; i < count; ++i) {
    const size_t index = (first_stream_ + i) % count;
    if (streams_[index]->drive(budget) == SendStream::Progress::kBudget) {
      // It takes what it is given: ask the next one first, so that all get their share.
      first_stream_ = (index + 1) % count;
      return;
    }
  }
}

// Of a stream that has not been measured yet: the mean of those that have, in bytes per second.
double TcpSendComm::assumed_rate() const {
  double sum = 0;
  int known = 0;
  for (const auto& stream : streams_) {
    sum += stream->bytes_per_second();
    known += stream->bytes_per_second() > 0 ? 1 : 0;
  }
  return known == 0 ? 1 : sum / known;
}

size_t TcpSendComm::share(const SendStream& stream) const {
  const size_t block = tuning().block_bytes;
  const double assumed = assumed_rate();
  double earliest = std::numeric_limits<double>::infinity();
  for (const auto& other : streams_) earliest = std::min(earliest, expected_delay(*other, block, assumed));
  const double latest = std::max(kDelayTolerance * earliest, earliest + kDelayToleranceSeconds);
  if (expected_delay(stream, block, assumed) <= latest) return block;
  const double bytes =
      kSlowMargin * earliest * rate_of(stream, assumed) - static_cast<double>(stream.backlog());
  return bytes < static_cast<double>(kLeastShare) ? 0
                                                  : static_cast<size_t>(bytes) / kLeastShare * kLeastShare;
}

void TcpSendComm::wake_fastest() {
  const double assumed = assumed_rate();
  const size_t bytes = tuning().block_bytes;
  const auto fastest = std::min_element(streams_.begin(), streams_.end(), [&](const auto& a, const auto& b) {
    return expected_delay(*a, bytes, assumed) < expected_delay(*b, bytes, assumed);
  });
  (*fastest)->request_write();
}

void TcpSendComm::on_acknowledged(uint64_t messages) {
  if (messages > queue_.posted() || messages < acknowledged_.load(std::memory_order_relaxed)) {
    fail(Status::kRemoteError, "it acknowledged messages that were never sent");
    return;
  }
  acknowledged_.store(messages, std::memory_order_relaxed);
  if (trace_.on()) {
    trace_.put(Clock::now(), 0, telemetry::TraceAcknowledged{.messages = messages});
  }
}

std::string TcpSendComm::closed_why() {
  const std::scoped_lock lock(closed_why_mutex_);
  return closed_why_;
}

void TcpSendComm::on_peer_closed(std::string_view why) {
  {
    const std::scoped_lock lock(closed_why_mutex_);
    if (closed_why_.empty()) closed_why_ = why;
  }
  // In this order: either isend() sees that the peer is gone, or its message is seen here.
  peer_closed_.store(true, std::memory_order_seq_cst);
  if (!queue_.all_sent()) fail(Status::kRemoteError, why);
}

void TcpSendComm::fail(Status status, std::string_view why) {
  const std::string text = fmt::format(
      "sending to peer {} failed: {}. {} of {} messages were acknowledged. If this host's link is up, look "
      "at "
      "the log of the process on that host",
      peer_, why, acknowledged_.load(std::memory_order_relaxed), queue_.posted());
  if (!health_.fail(status, text)) return;
  counters_->failed(why);
  // The receiver must not wait until NCCL closes this comm, which it may never do.
  for (auto& stream : streams_) stream->hang_up();
}

}  // namespace netsense::tcp
