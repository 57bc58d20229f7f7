// What NCCL gets of a CollNet connect: a comm whose thread does the work.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "plugin/collnet/exchange.h"
#include "plugin/transport/region.h"

namespace netsense::collnet {

class CollComm final : public transport::Comm {
 public:
  // comm_id: NCCL's number of the communicator; 0: not told.
  CollComm(Mesh mesh, const core::Device& device, const config::Settings& settings, uint64_t comm_id);
  // Calls under way are given up.
  ~CollComm() override;

  Status register_memory(void* data, size_t bytes, transport::MemoryType type,
                         transport::Region** region) override {
    return regions_.add(data, bytes, type, region);
  }
  // When a call under way uses it, the comm is over: NCCL is tearing it down, and may free the memory next.
  Status deregister_memory(transport::Region* region) override;
  Status test(transport::Request* request, bool* done, size_t* bytes) override;

  // *request is null when too many are under way. The identity in args is filled in.
  Status post(CallArgs args, transport::Request** request);
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }

 private:
  void run();
  Status drive();
  void look(probe::Time now);
  void stop();

  const int rank_;
  const int ranks_;
  const uint64_t comm_id_;
  Link* const link_;  // null: nothing is ever rounded
  transport::RegionTable regions_;
  CallRing calls_;
  LossyCoder coder_;
  Exchange exchange_;
  std::atomic<Status> status_{Status::kOk};
  probe::Time last_look_;
  uint64_t delivered_ = 0;  // bytes, at that look
  std::thread thread_;
};

}  // namespace netsense::collnet
