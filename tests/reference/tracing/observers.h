// A tuner that changes nothing and a profiler that keeps nothing: NCCL only has to call them.
#pragma once

#include <atomic>
#include <cstdint>

#include "plugin/abi/profiler_v5.h"
#include "plugin/abi/tuner_v5.h"
#include "tests/reference/net/options.h"

namespace netsense::reference {

struct PassiveTuner {
  struct Context {};
  static Status init(void** context, uint64_t /*comm_id*/, size_t /*ranks*/, size_t /*nodes*/,
                     abi::DebugLogger /*logger*/, abi::NvlDomainInfoV5* /*domains*/,
                     abi::TunerConstantsV5* /*constants*/) {
    *context = new Context;
    return Status::kOk;
  }
  static Status get_coll_info(void* /*context*/, abi::Function /*function*/, size_t /*bytes*/,
                              int /*operations*/, float** /*cost_table*/, int /*algorithms*/,
                              int /*protocols*/, int /*registered*/, int* /*channels*/) {
    return Status::kOk;
  }
  static Status finalize(void* context) {
    delete static_cast<Context*>(context);
    return Status::kOk;
  }
};

struct PassiveProfiler {
  struct Context {};
  static Status init(void** context, uint64_t /*comm_id*/, int* mask, const char* /*comm_name*/,
                     int /*nodes*/, int /*ranks*/, int /*rank*/, abi::DebugLogger /*logger*/) {
    *context = new Context;
    *mask = read_options().profiler_mask;
    return Status::kOk;
  }
  static Status start_event(void* /*context*/, void** event, abi::ProfilerEventV5* /*description*/) {
    // NCCL names stopped events as parents, so a handle must never come back: a number does, nothing is kept.
    static std::atomic<uintptr_t> number{0};
    *event = reinterpret_cast<void*>(++number);
    return Status::kOk;
  }
  static Status stop_event(void* /*event*/) { return Status::kOk; }
  static Status record_event_state(void* /*event*/, abi::ProfilerState /*state*/,
                                   abi::ProfilerStateArgsV5* /*arguments*/) {
    return Status::kOk;
  }
  static Status finalize(void* context) {
    delete static_cast<Context*>(context);
    return Status::kOk;
  }
};

}  // namespace netsense::reference
