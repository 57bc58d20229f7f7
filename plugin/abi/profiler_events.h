// What profiler events tell, each structure named after the first version that has it in this form.
#pragma once

#include <sys/types.h>

#include "plugin/abi/common.h"

namespace netsense::abi {

// ncclProfilerEventState_t.
enum class ProfilerState : int;

struct GroupApiEventV5 {
  bool graph_captured;
  int depth;
};

struct CollApiEventV5 {
  const char* function;
  size_t count;
  const char* data_type;
  int root;
  void* stream;
  bool graph_captured;
};

struct P2pApiEventV5 {
  const char* function;
  size_t count;
  const char* data_type;
  void* stream;
  bool graph_captured;
};

struct KernelLaunchEventV5 {
  void* stream;
};

struct ProxyOpEventV1 {
  pid_t pid;  // of the process whose events the parent belongs to
  uint8_t channel;
  int peer;
  int steps;
  int chunk_bytes;
  int is_send;
};
static_assert(sizeof(ProxyOpEventV1) == 24 && offsetof(ProxyOpEventV1, is_send) == 20);

struct ProxyStepEventV1 {
  int step;
};

struct KernelChannelEventV3 {
  uint8_t channel;
};

struct KernelChannelEventV4 {
  uint8_t channel;
  uint64_t gpu_time;
};

struct NetPluginEventV3 {
  int64_t id;
  void* data;
};

union ProfilerStateArgsV1 {
  struct {
    size_t bytes;
    int steps;
  } proxy_op;
  struct {
    int appended_ops;
  } proxy_ctrl;
};
static_assert(sizeof(ProfilerStateArgsV1) == 16);

union ProfilerStateArgsV4 {
  struct {
    size_t bytes;
  } proxy_step;
  struct {
    int appended_ops;
  } proxy_ctrl;
  struct {
    void* data;
  } net_plugin;
  struct {
    uint64_t gpu_time;
  } kernel_channel;
};
static_assert(sizeof(ProfilerStateArgsV4) == 8);

using ProfilerInitV1 = Result (*)(void** context, int* activation_mask);
using ProfilerInitV4 = Result (*)(void** context, int* activation_mask, const char* comm_name,
                                  uint64_t comm_id, int nodes, int ranks, int rank, DebugLogger logger);
using ProfilerInitV5 = Result (*)(void** context, uint64_t comm_id, int* activation_mask,
                                  const char* comm_name, int nodes, int ranks, int rank, DebugLogger logger);

// finalize is called only for a context that is not null.
template <typename Init, typename Event, typename StateArgs>
struct ProfilerTable {
  const char* name;
  Init init;
  Result (*start_event)(void* context, void** event, Event* description);
  Result (*stop_event)(void* event);
  Result (*record_event_state)(void* event, ProfilerState state, StateArgs* arguments);
  Result (*finalize)(void* context);
};

}  // namespace netsense::abi
