// For NCCL 2.30 and newer.
#include "plugin/abi/collnet_v12.h"

#include "plugin/abi/collnet_adapter.h"

NETSENSE_EXPORT_COLLNET(12)
