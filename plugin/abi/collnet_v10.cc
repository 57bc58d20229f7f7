// For NCCL 2.26 and newer.
#include "plugin/abi/collnet_v10.h"

#include "plugin/abi/collnet_adapter.h"

NETSENSE_EXPORT_COLLNET(10)
