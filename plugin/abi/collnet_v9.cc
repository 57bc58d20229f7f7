// For NCCL 2.24 and newer: size_t sizes, and the hint that a receive's completion is optional.
#include "plugin/abi/collnet_v9.h"

#include "plugin/abi/collnet_adapter.h"

NETSENSE_EXPORT_COLLNET(9)
