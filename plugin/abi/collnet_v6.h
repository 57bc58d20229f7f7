// ncclCollNet_v6: collectives that the network carries out itself.
#pragma once

#include "plugin/abi/net_v6.h"

namespace netsense::abi {

template <typename Size>
using CollNetIallreduce = Result (*)(void* comm, void* send, void* recv, Size count, DataType type,
                                     ReduceOp op, void* send_region, void* recv_region, void** request);
using CollNetConnect = Result (*)(void* handles[], int ranks, int rank, void* listen_comm, void** coll_comm);
using CollNetReduceSupport = Result (*)(DataType type, ReduceOp op, int* supported);
using CollNetIflush = Result (*)(void* comm, void* data, int bytes, void* region, void** request);

// v6 and v7 differ in the properties.
template <typename Properties>
struct CollNetTableV6 {
  const char* name;
  NetInitV6 init;
  NetDevices devices;
  NetGetProperties<Properties> get_properties;
  NetListenV6 listen;
  CollNetConnect connect;
  CollNetReduceSupport reduce_support;
  NetRegMr<int> reg_mr;
  NetRegMrDmaBuf reg_mr_dma_buf;
  NetDeregMr dereg_mr;
  CollNetIallreduce<int> iallreduce;
  CollNetIflush iflush;
  NetTest test;
  NetClose close_coll;
  NetClose close_listen;
};

using CollNetV6 = CollNetTableV6<NetPropertiesV6>;
static_assert(sizeof(CollNetV6) == 15 * 8 && offsetof(CollNetV6, close_listen) == 14 * 8);

}  // namespace netsense::abi
