// ncclProfiler_v6: events of collectives that copy engines carry out.
#pragma once

#include "plugin/abi/profiler_v5.h"

namespace netsense::abi {

struct ProfilerEventV6 {
  uint64_t type;
  void* parent;
  int rank;
  union {
    GroupApiEventV5 group_api;
    CollApiEventV5 coll_api;
    P2pApiEventV5 p2p_api;
    KernelLaunchEventV5 kernel_launch;
    CollEventV5 coll;
    P2pEventV5 p2p;
    ProxyOpEventV1 proxy_op;
    ProxyStepEventV1 proxy_step;
    KernelChannelEventV4 kernel_channel;
    NetPluginEventV3 net_plugin;
    struct {
      uint64_t sequence;
      const char* function;
      const void* send;
      void* recv;
      size_t count;
      int root;
      const char* data_type;
      const char* synchronization;
      bool synchronized_in_batch;
      uint32_t batch_size;
      uint32_t batches;
      uint32_t copy_sequence;
      void* stream;
    } copy_coll;
    struct {
      bool complete;
      int ranks;
    } copy_sync;
    struct {
      int operations;
      size_t bytes;
      bool synchronized;
    } copy_batch;
  };
};
static_assert(sizeof(ProfilerEventV6) == 112);
static_assert(offsetof(ProfilerEventV6, coll) == 24 && offsetof(ProfilerEventV6, proxy_op) == 24 &&
              offsetof(ProfilerEventV6, copy_coll.stream) == 104);

using ProfilerV6 = ProfilerTable<ProfilerInitV5, ProfilerEventV6, ProfilerStateArgsV5>;
static_assert(sizeof(ProfilerV6) == 6 * 8);

}  // namespace netsense::abi
