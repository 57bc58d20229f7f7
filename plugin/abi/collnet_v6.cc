// For NCCL 2.13 and newer: no context, int sizes.
#include "plugin/abi/collnet_v6.h"

#include "plugin/abi/collnet_adapter.h"

NETSENSE_EXPORT_COLLNET(6)
