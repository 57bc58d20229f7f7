// One set of functions behind the tables of profiler v1 to v6. They tell the core's Profile of the events it
// can use, and never fail.
#pragma once

#include <concepts>
#include <string_view>

#include "plugin/abi/common.h"
#include "plugin/abi/profiler_events.h"
#include "plugin/collnet/steering.h"
#include "plugin/core/profile.h"

namespace netsense::abi::profiler {

inline Result open(void** context, int* mask, uint64_t comm_id = 0) {
  void* made = core::profile().open(mask, comm_id);
  if (context != nullptr) *context = made;
  return Result::kOk;
}

inline Result init(void** context, int* mask) {
  return open(context, mask);
}

inline Result init(void** context, int* mask, const char* /*comm_name*/, uint64_t comm_id, int /*nodes*/,
                   int /*ranks*/, int /*rank*/, DebugLogger /*logger*/) {
  return open(context, mask, comm_id);
}

inline Result init(void** context, uint64_t comm_id, int* mask, const char* /*comm_name*/, int /*nodes*/,
                   int /*ranks*/, int /*rank*/, DebugLogger /*logger*/) {
  return open(context, mask, comm_id);
}

// coll and p2p: numbers in v1, names since v2.
template <typename Task>
core::TrafficInfo traffic_from(const Task& task) {
  if constexpr (std::integral<decltype(task.function)>) {
    return {.data_type = task.data_type, .function = task.function};
  } else {
    return {.data_type = core::data_type_from_name(task.data_type),
            .function = core::function_from_name(task.function)};
  }
}

// The communicator: told by each event up to v3, by the context since v4.
template <typename Task>
core::Collective collective_from(const Task& task) {
  const core::TrafficInfo traffic = traffic_from(task);
  core::Collective collective{
      .function = traffic.function, .data_type = traffic.data_type, .count = task.count, .send = task.send};
  if constexpr (requires { task.comm_id; }) collective.comm_id = task.comm_id;
  return collective;
}

// Whether the network carries it out. NVLS does so between nodes.
template <typename Task>
bool by_collnet(const Task& task) {
  if constexpr (std::integral<decltype(task.algorithm)>) {
    constexpr int kNvls = 4;  // NCCL_ALGO_NVLS
    return task.algorithm == collnet::kCollNetDirect || task.algorithm == collnet::kCollNetChain ||
           task.algorithm == kNvls;
  } else {
    if (task.algorithm == nullptr) return false;
    const std::string_view name(task.algorithm);
    return name == "COLLNET_DIRECT" || name == "COLLNET_CHAIN" || name == "NVLS";
  }
}

template <typename Event>
void* start(const void* context, const Event& event) {
  switch (event.type) {
    case core::kProfileColl:
      return by_collnet(event.coll) ? core::profile().start_collective(context, collective_from(event.coll))
                                    : core::profile().start_task(traffic_from(event.coll));
    case core::kProfileP2p:
      return core::profile().start_task(traffic_from(event.p2p));
    case core::kProfileProxyOp:
      return core::profile().start_proxy_op({.parent = event.parent,
                                             .parent_process = event.proxy_op.pid,
                                             .channel = event.proxy_op.channel,
                                             .steps = static_cast<uint32_t>(event.proxy_op.steps)});
    case core::kProfileProxyStep:
      return core::profile().start_proxy_step(event.parent);
    default:
      return nullptr;
  }
}

template <typename Event>
Result start_event(void* context, void** event, Event* description) {
  if (event != nullptr) *event = description == nullptr ? nullptr : start(context, *description);
  return Result::kOk;
}

// A handle is its event: there is nothing to end or to change.
inline Result stop_event(void* /*event*/) {
  return Result::kOk;
}

template <typename StateArgs>
Result record_event_state(void* /*event*/, ProfilerState /*state*/, StateArgs* /*arguments*/) {
  return Result::kOk;
}

inline Result finalize(void* context) {
  core::profile().close(context);
  return Result::kOk;
}

template <typename Table>
constexpr Table make_table() {
  Table table{};
  table.name = "netsense";
  table.init = init;
  table.start_event = start_event;
  table.stop_event = stop_event;
  table.record_event_state = record_event_state;
  table.finalize = finalize;
  return table;
}

}  // namespace netsense::abi::profiler

// The data symbol that NCCL looks up, as NETSENSE_EXPORT_NET makes it.
#define NETSENSE_EXPORT_PROFILER(version)                                               \
  extern "C" {                                                                          \
  extern __attribute__((visibility("default"))) const netsense::abi::ProfilerV##version \
      ncclProfiler_v##version; /* NOLINT(readability-identifier-naming): NCCL's name */ \
  constinit const netsense::abi::ProfilerV##version ncclProfiler_v##version =           \
      netsense::abi::profiler::make_table<netsense::abi::ProfilerV##version>();         \
  }
