// The sending comm: one or more TCP streams to one peer, fed from one queue of messages.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/telemetry/registry.h"
#include "plugin/transport/region.h"
#include "plugin/transport/tcp/health.h"
#include "plugin/transport/tcp/runtime.h"
#include "plugin/transport/tcp/send_coding.h"
#include "plugin/transport/tcp/send_queue.h"
#include "plugin/transport/tcp/send_stream.h"
#include "plugin/transport/transport.h"

namespace netsense::tcp {

class TcpSendComm final : public transport::SendComm {
 public:
  // streams: connected sockets behind a finished handshake. peer, device: for messages and statistics.
  TcpSendComm(std::shared_ptr<Runtime> runtime, std::vector<core::Fd> streams, std::string peer,
              const Capabilities& peer_capabilities, std::string device = {});
  ~TcpSendComm() override;

  Status register_memory(void* data, size_t bytes, transport::MemoryType type,
                         transport::Region** region) override {
    return regions_.add(data, bytes, type, region);
  }
  // When a message under way lies in it, the comm is over: NCCL is tearing it down, and may free the memory
  // next.
  Status deregister_memory(transport::Region* region) override;
  Status isend(const void* data, size_t bytes, int tag, transport::Region* region,
               const transport::MessageHints& hints, transport::Request** request) override;
  Status test(transport::Request* request, bool* done, size_t* bytes) override;
  [[nodiscard]] transport::PathView path() const override { return coding_.path(); }
  [[nodiscard]] const std::string& peer() const override { return peer_; }

  // For the streams.
  [[nodiscard]] const Tuning& tuning() const { return runtime_->tuning(); }
  Reactor& reactor() { return runtime_->reactor(); }
  SendQueue& queue() { return queue_; }
  SendCoding& coding() { return coding_; }
  telemetry::Counters& counters() { return *counters_; }
  [[nodiscard]] const telemetry::ConnectionTrace& trace() const { return trace_; }
  [[nodiscard]] const Health& health() const { return health_; }
  [[nodiscard]] size_t stream_count() const { return streams_.size(); }
  // How much this stream would deliver about as early as any other delivers a whole block; 0: too little to
  // bother.
  [[nodiscard]] size_t share(const SendStream& stream) const;
  // Asks the reactor to write on the stream that would deliver a block first.
  void wake_fastest();
  void on_acknowledged(uint64_t messages);
  // The peer closes first at an orderly end, which is no error as long as nothing is left to send.
  void on_peer_closed(std::string_view why);
  // why: completes "sending to peer X failed: ".
  void fail(Status status, std::string_view why);

 private:
  // Returns when no thread of ours is at a stream any more.
  void stop();
  void drive_inline(size_t budget);
  [[nodiscard]] double assumed_rate() const;
  std::string closed_why();

  std::shared_ptr<Runtime> runtime_;
  const std::string peer_;
  const telemetry::ConnectionTrace trace_;
  const std::unique_ptr<telemetry::Counters> counters_;
  Health health_;
  SendQueue queue_;
  SendCoding coding_;
  transport::RegionTable regions_;
  std::atomic<uint64_t> acknowledged_{0};
  std::atomic<bool> peer_closed_{false};
  std::mutex closed_why_mutex_;  // only where a connection ends
  std::string closed_why_;
  std::vector<std::unique_ptr<SendStream>> streams_;
  size_t first_stream_ = 0;  // where drive_inline() begins
};

}  // namespace netsense::tcp
