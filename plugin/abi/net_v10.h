// ncclNet_v10: traffic class at connect, profiler events of the network's own.
#pragma once

#include "plugin/abi/net_v9.h"

namespace netsense::abi {

struct NetConfigV10 {
  int traffic_class;  // kUndefined: not set
};
static_assert(sizeof(NetConfigV10) == 4);

using NetPropertiesV10 = NetPropertiesV9;

using NetInitV10 = Result (*)(DebugLogger logger, ProfilerCallback profiler);
using NetConnectV10 = Result (*)(int device, NetConfigV10* config, void* handle, void** send_comm,
                                 NetDeviceHandle** device_handle);
using NetV10 = NetTableV9<NetInitV10, NetConnectV10, NetIsendV10, NetIrecvV10>;
static_assert(sizeof(NetV10) == sizeof(NetV9));

}  // namespace netsense::abi
