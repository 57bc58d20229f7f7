// Does on threads what NCCL's kernels do on a GPU: runs the channels' work of a plan against user buffers and
// the connections' fifos. One thread per channel, kept by the communicator. Plans run in the order of launch;
// the next begins when every channel has finished the one before, as kernels on one stream do.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "tools/engine/fifo.h"
#include "tools/engine/plan/plan.h"

namespace netsense::engine {

struct ConnectionId {
  int channel = 0;
  int peer = 0;
  bool send = false;
  int index = 0;  // as in ProxyOp
};
// Called on device threads when a plan starts. The fifo must stay until the plan has finished. Null ends the
// plan as an abort does.
using ConnectionLookup = std::function<ConnectionFifo*(const ConnectionId&)>;

class Device {
 public:
  Device(const CommShape& shape, const PlanSettings& settings, ConnectionLookup lookup);
  ~Device();  // gives up what is running
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Returns the plan's ticket; tickets count from 1. Any one thread at a time may launch.
  uint64_t launch(std::shared_ptr<const Plan> plan);
  bool finished(uint64_t ticket) const;
  // Until the plan has finished or the device was aborted.
  void wait(uint64_t ticket) const;
  // All present and later plans end at once without doing their work.
  void abort();
  bool aborted() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace netsense::engine
