// ncclProfiler_v5: told of what NCCL does, from the API call down to a step of the proxy.
#pragma once

#include "plugin/abi/profiler_events.h"

namespace netsense::abi {

struct CollEventV5 {
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
};

struct P2pEventV5 {
  const char* function;
  void* buffer;
  const char* data_type;
  size_t count;
  int peer;
  uint8_t channels;
  void* parent_group;
};

struct ProfilerEventV5 {
  uint64_t type;  // one bit of the activation mask that init returned
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
  };
};
static_assert(sizeof(ProfilerEventV5) == 112);
static_assert(offsetof(ProfilerEventV5, coll.function) == 32 &&
              offsetof(ProfilerEventV5, coll.data_type) == 72 &&
              offsetof(ProfilerEventV5, coll.algorithm) == 88);
static_assert(offsetof(ProfilerEventV5, p2p.function) == 24 &&
              offsetof(ProfilerEventV5, p2p.data_type) == 40 && offsetof(ProfilerEventV5, p2p.peer) == 56 &&
              offsetof(ProfilerEventV5, proxy_op.is_send) == 44);

using ProfilerStateArgsV5 = ProfilerStateArgsV4;
using ProfilerV5 = ProfilerTable<ProfilerInitV5, ProfilerEventV5, ProfilerStateArgsV5>;
static_assert(sizeof(ProfilerV5) == 6 * 8);

}  // namespace netsense::abi
