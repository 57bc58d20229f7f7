// ncclNet_v12: eight merged NICs instead of four, rails and planes.
#pragma once

#include "plugin/abi/net_v11.h"

namespace netsense::abi {

using NetConfigV12 = NetConfigV11;
using NetAttributesV12 = NetAttributesV11;
using VirtualDeviceV12 = VirtualDevice<kMaxDevicesPerNicV12>;
static_assert(sizeof(VirtualDeviceV12) == 36);

struct NetPropertiesV12 : NetPropertiesSinceV9<VirtualDeviceV12> {
  int max_multi_request;
  int16_t rail_id;  // kUndefined: not known
  int16_t plane_id;
};
static_assert(sizeof(NetPropertiesV12) == 128 && sizeof(NetPropertiesSinceV9<VirtualDeviceV12>) == 120);

using NetV12 = NetTableV11<NetPropertiesV12, VirtualDeviceV12>;
static_assert(sizeof(NetV12) == 22 * 8);

}  // namespace netsense::abi
