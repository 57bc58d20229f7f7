// ncclCollNet_v7.
#pragma once

#include "plugin/abi/collnet_v6.h"
#include "plugin/abi/net_v7.h"

namespace netsense::abi {

using CollNetV7 = CollNetTableV6<NetPropertiesV7>;
static_assert(sizeof(CollNetV7) == sizeof(CollNetV6));

}  // namespace netsense::abi
