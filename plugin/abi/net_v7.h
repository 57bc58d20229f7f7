// ncclNet_v7: adds networks with device code.
#pragma once

#include "plugin/abi/net_v6.h"

namespace netsense::abi {

struct NetPropertiesV7 : NetPropertiesV6 {
  int device_type;
  int device_version;
};
static_assert(sizeof(NetPropertiesV7) == 56);

// v7 and v8 differ in the properties and in the width of a region's size.
template <typename Properties, typename RegionSize>
struct NetTableV7 {
  const char* name;
  NetInitV6 init;
  NetDevices devices;
  NetGetProperties<Properties> get_properties;
  NetListenV6 listen;
  NetConnectV7 connect;
  NetAcceptV7 accept;
  NetRegMr<RegionSize> reg_mr;
  NetRegMrDmaBuf reg_mr_dma_buf;
  NetDeregMr dereg_mr;
  NetIsend<int> isend;
  NetIrecv<int> irecv;
  NetIflush iflush;
  NetTest test;
  NetClose close_send;
  NetClose close_recv;
  NetClose close_listen;
  NetGetDeviceMr get_device_mr;
  NetIrecvConsumed irecv_consumed;
};

using NetV7 = NetTableV7<NetPropertiesV7, int>;
static_assert(sizeof(NetV7) == 19 * 8);
static_assert(offsetof(NetV7, reg_mr) == 7 * 8 && offsetof(NetV7, irecv_consumed) == 18 * 8);

}  // namespace netsense::abi
