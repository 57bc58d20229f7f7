// ncclProfiler_v2: names instead of numbers.
#pragma once

#include "plugin/abi/profiler_events.h"

namespace netsense::abi {

struct P2pEventV2 {
  const char* comm_name;
  uint64_t comm_id;
  const char* function;
  void* buffer;
  const char* data_type;
  size_t count;
  int peer;
};

struct ProfilerEventV2 {
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
      size_t traffic_bytes;
      uint8_t max_channels;
      uint8_t warps;
      const char* algorithm;
      const char* protocol;
    } coll;
    P2pEventV2 p2p;
    ProxyOpEventV1 proxy_op;
    ProxyStepEventV1 proxy_step;
  };
};
static_assert(sizeof(ProfilerEventV2) == 128);
static_assert(offsetof(ProfilerEventV2, coll.function) == 48 &&
              offsetof(ProfilerEventV2, coll.data_type) == 88 &&
              offsetof(ProfilerEventV2, coll.protocol) == 120);
static_assert(offsetof(ProfilerEventV2, p2p.function) == 40 &&
              offsetof(ProfilerEventV2, p2p.data_type) == 56 && offsetof(ProfilerEventV2, proxy_op) == 24);

using ProfilerV2 = ProfilerTable<ProfilerInitV1, ProfilerEventV2, ProfilerStateArgsV1>;
static_assert(sizeof(ProfilerV2) == 6 * 8);

}  // namespace netsense::abi
