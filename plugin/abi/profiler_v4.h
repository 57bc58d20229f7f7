// ncclProfiler_v4: the communicator is named once at init and no longer by each event.
#pragma once

#include "plugin/abi/profiler_events.h"

namespace netsense::abi {

struct ProfilerEventV4 {
  uint8_t type;
  void* parent;
  int rank;
  union {
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
    } coll;
    struct {
      const char* function;
      void* buffer;
      const char* data_type;
      size_t count;
      int peer;
      uint8_t channels;
    } p2p;
    ProxyOpEventV1 proxy_op;
    ProxyStepEventV1 proxy_step;
    KernelChannelEventV4 kernel_channel;
    NetPluginEventV3 net_plugin;
  };
};
static_assert(sizeof(ProfilerEventV4) == 104);
static_assert(offsetof(ProfilerEventV4, coll.function) == 32 &&
              offsetof(ProfilerEventV4, coll.data_type) == 72 &&
              offsetof(ProfilerEventV4, coll.protocol) == 96);
static_assert(offsetof(ProfilerEventV4, p2p.function) == 24 &&
              offsetof(ProfilerEventV4, p2p.data_type) == 40 && offsetof(ProfilerEventV4, proxy_op) == 24);

using ProfilerV4 = ProfilerTable<ProfilerInitV4, ProfilerEventV4, ProfilerStateArgsV4>;
static_assert(sizeof(ProfilerV4) == 6 * 8);

}  // namespace netsense::abi
