// ncclProfiler_v3: events of kernel channels and of the network; no byte count of a collective any more.
#pragma once

#include "plugin/abi/profiler_v2.h"

namespace netsense::abi {

struct ProfilerEventV3 {
  uint8_t type;
  void* parent;
  int rank;
  union {
    struct {
      const char* comm_name;
      uint64_t comm_id;
      uint64_t sequence;
      const char* function;
      const void* send;
      void* recv;
      size_t count;
      int root;
      const char* data_type;
      uint8_t max_channels;
      uint8_t warps;
      const char* algorithm;
      const char* protocol;
    } coll;
    P2pEventV2 p2p;
    ProxyOpEventV1 proxy_op;
    ProxyStepEventV1 proxy_step;
    KernelChannelEventV3 kernel_channel;
    NetPluginEventV3 net_plugin;
  };
};
static_assert(sizeof(ProfilerEventV3) == 120);
static_assert(offsetof(ProfilerEventV3, coll.function) == 48 &&
              offsetof(ProfilerEventV3, coll.data_type) == 88 &&
              offsetof(ProfilerEventV3, coll.protocol) == 112);
static_assert(offsetof(ProfilerEventV3, p2p.data_type) == 56 && offsetof(ProfilerEventV3, proxy_op) == 24);

using ProfilerV3 = ProfilerTable<ProfilerInitV1, ProfilerEventV3, ProfilerStateArgsV1>;
static_assert(sizeof(ProfilerV3) == 6 * 8);

}  // namespace netsense::abi
