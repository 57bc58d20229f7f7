// Tells the profiler of collectives as NCCL does, on the thread that makes the calls.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>

#include "plugin/abi/profiler_v5.h"

namespace netsense::testing {

class Events {
 public:
  Events(void* library, int ranks)
      : table_(static_cast<const abi::ProfilerV5*>(dlsym(library, "ncclProfiler_v5"))), ranks_(ranks) {
    static_cast<void>(table_->init(&context_, 0x1234, &mask_, nullptr, ranks, ranks, 0, nullptr));
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() { static_cast<void>(table_->finalize(context_)); }

  // An all-reduce of so many f32, of which so many calls will follow.
  void begin(const void* send, size_t count, int calls) {
    abi::ProfilerEventV5 coll{};
    coll.type = 2;
    coll.coll.function = "AllReduce";
    coll.coll.send = send;
    coll.coll.count = count;
    coll.coll.data_type = "ncclFloat32";
    coll.coll.algorithm = "COLLNET_CHAIN";
    void* task = nullptr;
    static_cast<void>(table_->start_event(context_, &task, &coll));
    // One channel, sending and receiving; NCCL marks neither as sending.
    for (int direction = 0; direction < 2; ++direction) {
      abi::ProfilerEventV5 op{};
      op.type = 8;
      op.parent = task;
      op.proxy_op.pid = getpid();
      op.proxy_op.peer = ranks_;
      op.proxy_op.steps = calls;
      void* started = nullptr;
      static_cast<void>(table_->start_event(context_, &started, &op));
    }
  }

 private:
  const abi::ProfilerV5* table_;
  const int ranks_;
  void* context_ = nullptr;
  int mask_ = 0;
};

}  // namespace netsense::testing
