// ncclCollNet_v8: adds all-gather and reduce-scatter.
#pragma once

#include "plugin/abi/collnet_v6.h"
#include "plugin/abi/net_v8.h"

namespace netsense::abi {

// One rank's part of an all-gather's result or of a reduce-scatter's input.
template <typename Size>
struct CollNetPartOf {
  void* region;
  void* address;
  Size bytes;
};
using CollNetPartV8 = CollNetPartOf<int>;
using CollNetPart = CollNetPartOf<size_t>;
static_assert(sizeof(CollNetPartV8) == 24 && sizeof(CollNetPart) == 24);

template <typename Part>
using CollNetIallgather = Result (*)(void* comm, void* send, int parts, Part* recv, size_t bytes_per_rank,
                                     size_t window_offset, size_t window_bytes, void* send_region,
                                     void** request);
template <typename Part>
using CollNetIreducescatter = Result (*)(void* comm, int parts, Part* send, void* recv, size_t bytes_per_rank,
                                         size_t window_offset, size_t window_bytes, DataType type,
                                         ReduceOp op, void* recv_region, void** request);

struct CollNetV8 {
  const char* name;
  NetInitV6 init;
  NetDevices devices;
  NetGetProperties<NetPropertiesV8> get_properties;
  NetListenV6 listen;
  CollNetConnect connect;
  CollNetReduceSupport reduce_support;
  NetRegMr<size_t> reg_mr;
  NetRegMrDmaBuf reg_mr_dma_buf;
  NetDeregMr dereg_mr;
  CollNetIallreduce<int> iallreduce;
  CollNetIallgather<CollNetPartV8> iallgather;
  CollNetIreducescatter<CollNetPartV8> ireducescatter;
  CollNetIflush iflush;
  NetTest test;
  NetClose close_coll;
  NetClose close_listen;
};
static_assert(sizeof(CollNetV8) == 17 * 8 && offsetof(CollNetV8, iallgather) == 11 * 8);

}  // namespace netsense::abi
