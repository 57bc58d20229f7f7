// ncclCollNet_v11: collectives that the network carries out itself.
#pragma once

#include "plugin/abi/net_v11.h"

namespace netsense::abi {

// One rank's part of an all-gather's result or of a reduce-scatter's input.
struct CollNetPart {
  void* region;
  void* address;
  size_t bytes;
};
static_assert(sizeof(CollNetPart) == 24);

// v11 and v12 differ in the properties and in how many NICs can be merged.
template <typename Properties, typename Virtual>
struct CollNetTableV11 {
  const char* name;
  Result (*init)(void** context, uint64_t comm_id, DebugLogger logger);
  NetDevices devices;
  NetGetProperties<Properties> get_properties;
  NetListenV11 listen;
  Result (*connect)(void* handles[], int ranks, int rank, void* listen_comm, void** coll_comm);
  Result (*reduce_support)(DataType type, ReduceOp op, int* supported);
  NetRegMr<size_t> reg_mr;
  NetRegMrDmaBuf reg_mr_dma_buf;
  NetDeregMr dereg_mr;
  Result (*iallreduce)(void* comm, void* send, void* recv, size_t count, DataType type, ReduceOp op,
                       void* send_region, void* recv_region, void** request);
  Result (*iallgather)(void* comm, void* send, int parts, CollNetPart* recv, size_t bytes_per_rank,
                       size_t window_offset, size_t window_bytes, void* send_region, void** request);
  Result (*ireducescatter)(void* comm, int parts, CollNetPart* send, void* recv, size_t bytes_per_rank,
                           size_t window_offset, size_t window_bytes, DataType type, ReduceOp op,
                           void* recv_region, void** request);
  Result (*iflush)(void* comm, void* data, int bytes, void* region, void** request);
  NetTest test;
  NetClose close_coll;
  NetClose close_listen;
  NetMakeVDevice<Virtual> make_vdevice;
  NetFinalize finalize;
};

using CollNetV11 = CollNetTableV11<NetPropertiesV11, VirtualDeviceV9>;
static_assert(sizeof(CollNetV11) == 19 * 8 && offsetof(CollNetV11, finalize) == 18 * 8);

}  // namespace netsense::abi
