// The receiving comm: the streams of one peer, and the receives that NCCL has posted.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/telemetry/registry.h"
#include "plugin/transport/region.h"
#include "plugin/transport/tcp/health.h"
#include "plugin/transport/tcp/recv_ring.h"
#include "plugin/transport/tcp/recv_stream.h"
#include "plugin/transport/tcp/runtime.h"
#include "plugin/transport/transport.h"

namespace netsense::tcp {

class TcpRecvComm final : public transport::RecvComm {
 public:
  // streams: accepted sockets behind a finished handshake. peer, device: for messages and statistics.
  TcpRecvComm(std::shared_ptr<Runtime> runtime, std::vector<core::Fd> streams, std::string peer,
              const Capabilities& peer_capabilities, std::string device = {});
  ~TcpRecvComm() override;

  Status register_memory(void* data, size_t bytes, transport::MemoryType type,
                         transport::Region** region) override {
    return regions_.add(data, bytes, type, region);
  }
  // When a message under way lies in it, the comm is over: NCCL is tearing it down, and may free the memory
  // next.
  Status deregister_memory(transport::Region* region) override;
  Status irecv(void* data, size_t bytes, int tag, transport::Region* region, transport::Reader reader,
               transport::Request** request) override;
  Status test(transport::Request* request, bool* done, size_t* bytes) override;
  [[nodiscard]] const std::string& peer() const override { return peer_; }

  // For the streams.
  Reactor& reactor() { return runtime_->reactor(); }
  RecvRing& ring() { return ring_; }
  [[nodiscard]] const Health& health() const { return health_; }
  telemetry::Counters& counters() { return *counters_; }
  [[nodiscard]] const telemetry::ConnectionTrace& trace() const { return trace_; }
  // Large messages are received by the reactor's threads, where there are any, small ones by NCCL's in
  // test().
  [[nodiscard]] bool bulk() const { return bulk_.load(std::memory_order_seq_cst); }
  void leave_bulk() { bulk_.store(false, std::memory_order_seq_cst); }
  void on_message_size(uint64_t bytes);
  // why: completes "receiving from peer X failed: ".
  void fail(Status status, std::string_view why);
  // The same, and tells the sender.
  void fail_and_tell(RecvStream& stream, Status status, const std::string& why);

 private:
  // Returns when no thread of ours is at a stream any more.
  void stop();
  void drive_inline(const RecvRequest& wanted);
  void drive_read_ahead(const RecvRequest& wanted);
  void acknowledge(size_t bytes);
  // Whether it was the first.
  bool note_failure(Status status, std::string_view why);

  std::shared_ptr<Runtime> runtime_;
  const std::string peer_;
  const telemetry::ConnectionTrace trace_;
  const std::unique_ptr<telemetry::Counters> counters_;
  Health health_;
  RecvRing ring_;
  transport::RegionTable regions_;
  std::atomic<bool> bulk_{false};
  std::vector<std::unique_ptr<RecvStream>> streams_;

  // Only NCCL's thread uses what follows.
  size_t last_stream_ = 0;  // the one that delivered last
  unsigned polls_ = 0;
  uint64_t delivered_messages_ = 0;
  uint64_t delivered_bytes_ = 0;
  uint64_t acknowledged_messages_ = 0;
  uint64_t acknowledged_bytes_ = 0;
};

}  // namespace netsense::tcp
