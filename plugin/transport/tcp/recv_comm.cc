#include "plugin/transport/tcp/recv_comm.h"

#include <algorithm>

namespace netsense::tcp {
namespace {

// From this size on a message is worth a helper thread's attention.
constexpr uint64_t kBulkBytes = uint64_t{256} << 10;
// What NCCL's thread receives per call.
constexpr size_t kInlineBudget = size_t{512} << 10;
// An acknowledgement is sent for this much, whichever comes first.
constexpr uint64_t kAcknowledgeMessages = 64;
constexpr uint64_t kAcknowledgeBytes = uint64_t{64} << 20;
// Streams other than the one that delivered last are looked at this seldom while nothing has begun to arrive.
constexpr unsigned kOtherStreamsEvery = 4;

}  // namespace

TcpRecvComm::TcpRecvComm(std::shared_ptr<Runtime> runtime, std::vector<core::Fd> streams, std::string peer,
                         const Capabilities& peer_capabilities, std::string device)
    : runtime_(std::move(runtime)),
      peer_(std::move(peer)),
      trace_(telemetry::open_trace(runtime_->tuning().trace.get(),
                                   {.direction = telemetry::Direction::kReceive,
                                    .peer = peer_,
                                    .device = device,
                                    .streams = streams.size(),
                                    .coding = peer_capabilities.codecs != 0,
                                    .block_bytes = runtime_->tuning().block_bytes,
                                    .peer_block_bytes = peer_capabilities.block_bytes})),
      counters_(telemetry::Registry::of_process().open(
          runtime_->tuning().statistics, {.direction = telemetry::Direction::kReceive,
                                          .peer = peer_,
                                          .device = std::move(device),
                                          .streams = streams.size(),
                                          .mode = static_cast<uint64_t>(runtime_->tuning().coding.mode)})) {
  for (core::Fd& fd : streams) {
    streams_.push_back(std::make_unique<RecvStream>(*this, std::move(fd), peer_capabilities.block_bytes));
  }
  if (runtime_->tuning().threads == 0) return;
  for (auto& stream : streams_) stream->start_watching();
}

TcpRecvComm::~TcpRecvComm() {
  stop();
}

Status TcpRecvComm::irecv(void* data, size_t bytes, int tag, transport::Region* region,
                          transport::Reader reader, transport::Request** request) {
  if (!health_.ok()) return health_.status();
  const bool low_latency = region != nullptr && region->kind() == transport::BufferKind::kLowLatency;
  *request = ring_.post(this, data, bytes, tag, low_latency ? transport::Reader::kPollsFlags : reader);
  if (*request != nullptr && runtime_->tuning().threads > 0) {
    for (auto& stream : streams_) stream->resume();
  }
  return Status::kOk;
}

Status TcpRecvComm::deregister_memory(transport::Region* region) {
  if (region != nullptr && ring_.uses(*region)) {
    health_.end(Status::kInternalError);
    stop();
  }
  return regions_.remove(region);
}

void TcpRecvComm::stop() {
  for (auto& stream : streams_) stream->stop_watching();
}

Status TcpRecvComm::test(transport::Request* request, bool* done, size_t* bytes) {
  auto* asked = static_cast<RecvRequest*>(request);
  if (!asked->done.load(std::memory_order_acquire)) {
    if (!health_.ok()) return health_.status();
    if (bulk()) {
      drive_read_ahead(*asked);
    } else {
      drive_inline(*asked);
    }
    if (!asked->done.load(std::memory_order_acquire)) {
      const bool over =
          std::all_of(streams_.begin(), streams_.end(), [](const auto& s) { return s->ended(); });
      // Looked at again: the last block may have come between the two looks.
      if (over && !asked->done.load(std::memory_order_acquire)) {
        fail(Status::kRemoteError,
             fmt::format("it closed the connection and {} receives are still posted", ring_.outstanding()));
      }
      return health_.status();
    }
  }
  *done = true;
  *bytes = static_cast<size_t>(asked->message_bytes.load(std::memory_order_relaxed));
  asked->in_use = false;
  counters_->message();
  acknowledge(*bytes);
  return Status::kOk;
}

void TcpRecvComm::drive_inline(const RecvRequest& wanted) {
  const size_t count = streams_.size();
  const bool others =
      ++polls_ % kOtherStreamsEvery == 0 || wanted.received.load(std::memory_order_relaxed) != 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t index = (last_stream_ + i) % count;
    RecvStream& stream = *streams_[index];
    if (i != 0 && !others && !stream.in_message()) continue;
    if (stream.drive(kInlineBudget, &wanted.done) != RecvStream::Progress::kBudget) continue;
    last_stream_ = index;
    if (wanted.done.load(std::memory_order_acquire)) return;
  }
}

// The reactor moves bulk data, but epoll does not tell it of what it has read already and could not deliver.
void TcpRecvComm::drive_read_ahead(const RecvRequest& wanted) {
  for (auto& stream : streams_) {
    if (stream->has_read_ahead()) stream->drive(kInlineBudget, &wanted.done);
  }
}

void TcpRecvComm::on_message_size(uint64_t bytes) {
  if (runtime_->tuning().threads == 0) return;
  const bool large = bytes >= kBulkBytes;
  if (bulk_.exchange(large, std::memory_order_seq_cst) == large || !large) return;
  for (auto& stream : streams_) stream->request_read();
}

void TcpRecvComm::acknowledge(size_t bytes) {
  ++delivered_messages_;
  delivered_bytes_ += bytes;
  if (delivered_messages_ - acknowledged_messages_ < kAcknowledgeMessages &&
      delivered_bytes_ - acknowledged_bytes_ < kAcknowledgeBytes) {
    return;
  }
  acknowledged_messages_ = delivered_messages_;
  acknowledged_bytes_ = delivered_bytes_;
  streams_.front()->acknowledge(delivered_messages_, delivered_bytes_);
}

bool TcpRecvComm::note_failure(Status status, std::string_view why) {
  const bool first = health_.fail(
      status, fmt::format("receiving from peer {} failed: {}. If this host's link is up, look at the log of "
                          "the process on that host",
                          peer_, why));
  if (first) counters_->failed(why);
  return first;
}

void TcpRecvComm::fail(Status status, std::string_view why) {
  if (!note_failure(status, why)) return;
  // The sender must not wait until NCCL closes this comm, which it may never do.
  for (auto& stream : streams_) stream->hang_up();
}

void TcpRecvComm::fail_and_tell(RecvStream& stream, Status status, const std::string& why) {
  if (!note_failure(status, why)) return;
  stream.send_error(status, "the receiver reports: " + why);
  // Only this one: the end of another could reach the sender before the reason does.
  stream.hang_up();
}

}  // namespace netsense::tcp
