// ncclProfiler_v1: function and data type as NCCL's numbers, algorithm and protocol too.
#pragma once

#include "plugin/abi/profiler_events.h"

namespace netsense::abi {

struct ProfilerEventV1 {
  uint8_t type;  // one bit of the activation mask
  void* parent;
  int rank;
  union {
    struct {
      const char* comm_name;
      uint64_t comm_id;
      uint64_t sequence;
      uint8_t function;
      const void* send;
      void* recv;
      size_t count;
      int root;
      uint8_t data_type;
      uint32_t reduce_op;
      size_t traffic_bytes;
      uint8_t max_channels;
      uint8_t warps;
      uint8_t algorithm;
      uint8_t protocol;
      int is_collnet;
      int is_nvls;
    } coll;
    struct {
      const char* comm_name;
      uint64_t comm_id;
      uint8_t function;
      void* buffer;
      uint8_t data_type;
      size_t count;
      int peer;
    } p2p;
    ProxyOpEventV1 proxy_op;
    ProxyStepEventV1 proxy_step;
  };
};
static_assert(sizeof(ProfilerEventV1) == 120);
static_assert(offsetof(ProfilerEventV1, coll.function) == 48 &&
              offsetof(ProfilerEventV1, coll.data_type) == 84 &&
              offsetof(ProfilerEventV1, coll.is_nvls) == 112);
static_assert(offsetof(ProfilerEventV1, p2p.function) == 40 &&
              offsetof(ProfilerEventV1, p2p.data_type) == 56 && offsetof(ProfilerEventV1, proxy_op) == 24);

using ProfilerV1 = ProfilerTable<ProfilerInitV1, ProfilerEventV1, ProfilerStateArgsV1>;
static_assert(sizeof(ProfilerV1) == 6 * 8);

}  // namespace netsense::abi
