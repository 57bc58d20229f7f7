// ncclProfiler_v5: told of what NCCL does, from the API call down to a step of the proxy.
#pragma once

#include <sys/types.h>

#include "plugin/abi/common.h"

namespace netsense::abi {

// ncclProfilerEventState_t.
enum class ProfilerState : int;

struct ProfilerEventV5 {
  uint64_t type;  // one bit of the activation mask that init returned
  void* parent;
  int rank;
  union {
    struct {
      bool graph_captured;
      int depth;
    } group_api;
    struct {
      const char* function;
      size_t count;
      const char* data_type;
      int root;
      void* stream;
      bool graph_captured;
    } coll_api;
    struct {
      const char* function;
      size_t count;
      const char* data_type;
      void* stream;
      bool graph_captured;
    } p2p_api;
    struct {
      void* stream;
    } kernel_launch;
    struct {
      uint64_t sequence;
      const char* function;
      const void* send;
      void* recv;
      size_t count;
      int root;
      const char* data_type;
      uint8_t channels;
      uint8_t warps;
      const char* algorithm;
      const char* protocol;
      void* parent_group;
    } coll;
    struct {
      const char* function;
      void* buffer;
      const char* data_type;
      size_t count;
      int peer;
      uint8_t channels;
      void* parent_group;
    } p2p;
    struct {
      pid_t pid;  // of the process whose events the parent belongs to
      uint8_t channel;
      int peer;
      int steps;
      int chunk_bytes;
      int is_send;
    } proxy_op;
    struct {
      int step;
    } proxy_step;
    struct {
      uint8_t channel;
      uint64_t gpu_time;
    } kernel_channel;
    struct {
      int64_t id;
      void* data;
    } net_plugin;
  };
};
static_assert(sizeof(ProfilerEventV5) == 112);
static_assert(offsetof(ProfilerEventV5, coll.algorithm) == 88 && offsetof(ProfilerEventV5, p2p.peer) == 56 &&
              offsetof(ProfilerEventV5, proxy_op.is_send) == 44);

union ProfilerStateArgsV5 {
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
static_assert(sizeof(ProfilerStateArgsV5) == 8);

struct ProfilerV5 {
  const char* name;
  Result (*init)(void** context, uint64_t comm_id, int* activation_mask, const char* comm_name, int nodes,
                 int ranks, int rank, DebugLogger logger);
  Result (*start_event)(void* context, void** event, ProfilerEventV5* description);
  Result (*stop_event)(void* event);
  Result (*record_event_state)(void* event, ProfilerState state, ProfilerStateArgsV5* arguments);
  Result (*finalize)(void* context);
};
static_assert(sizeof(ProfilerV5) == 6 * 8);

}  // namespace netsense::abi
