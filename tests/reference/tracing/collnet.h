// CollNet v11 over CollectiveGroup: sums of float32 and float64 on host memory.
#pragma once

#include "plugin/abi/collnet_v11.h"

namespace netsense::reference {

abi::CollNetV11 collnet_table(const char* name);

}  // namespace netsense::reference
