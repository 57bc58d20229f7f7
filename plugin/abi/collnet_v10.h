// ncclCollNet_v10: as v9.
#pragma once

#include "plugin/abi/collnet_v9.h"

namespace netsense::abi {

using CollNetV10 = CollNetV9;

}  // namespace netsense::abi
