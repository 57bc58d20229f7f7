// ncclCollNet_v11: a context per communicator.
#pragma once

#include "plugin/abi/collnet_v8.h"
#include "plugin/abi/net_v11.h"

namespace netsense::abi {

// v11 and v12 differ in the properties and in how many NICs can be merged.
template <typename Properties, typename Virtual>
struct CollNetTableV11 {
  const char* name;
  Result (*init)(void** context, uint64_t comm_id, DebugLogger logger);
  NetDevices devices;
  NetGetProperties<Properties> get_properties;
  NetListenV11 listen;
  CollNetConnect connect;
  CollNetReduceSupport reduce_support;
  NetRegMr<size_t> reg_mr;
  NetRegMrDmaBuf reg_mr_dma_buf;
  NetDeregMr dereg_mr;
  CollNetIallreduce<size_t> iallreduce;
  CollNetIallgather<CollNetPart> iallgather;
  CollNetIreducescatter<CollNetPart> ireducescatter;
  CollNetIflush iflush;
  NetTest test;
  NetClose close_coll;
  NetClose close_listen;
  NetMakeVDevice<Virtual> make_vdevice;
  NetFinalize finalize;
};

using CollNetV11 = CollNetTableV11<NetPropertiesV11, VirtualDeviceV9>;
static_assert(sizeof(CollNetV11) == 19 * 8 && offsetof(CollNetV11, finalize) == 18 * 8);

}  // namespace netsense::abi
