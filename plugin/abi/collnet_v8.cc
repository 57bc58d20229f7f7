// For NCCL 2.20 and newer.
#include "plugin/abi/collnet_v8.h"

#include "plugin/abi/collnet_adapter.h"

NETSENSE_EXPORT_COLLNET(8)
