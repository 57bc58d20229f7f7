// ncclCollNet_v9: sizes are size_t, and NICs can be merged.
#pragma once

#include "plugin/abi/collnet_v8.h"
#include "plugin/abi/net_v9.h"

namespace netsense::abi {

struct CollNetV9 {
  const char* name;
  NetInitV6 init;
  NetDevices devices;
  NetGetProperties<NetPropertiesV9> get_properties;
  NetListenV6 listen;
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
  NetMakeVDevice<VirtualDeviceV9> make_vdevice;
};
static_assert(sizeof(CollNetV9) == 18 * 8 && offsetof(CollNetV9, make_vdevice) == 17 * 8);

}  // namespace netsense::abi
