// ncclCollNet_v12.
#pragma once

#include "plugin/abi/collnet_v11.h"
#include "plugin/abi/net_v12.h"

namespace netsense::abi {

using CollNetV12 = CollNetTableV11<NetPropertiesV12, VirtualDeviceV12>;
static_assert(sizeof(CollNetV12) == sizeof(CollNetV11));

}  // namespace netsense::abi
