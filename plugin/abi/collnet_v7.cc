// For NCCL 2.19 and newer.
#include "plugin/abi/collnet_v7.h"

#include "plugin/abi/collnet_adapter.h"

NETSENSE_EXPORT_COLLNET(7)
