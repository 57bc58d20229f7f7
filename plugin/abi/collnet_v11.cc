// For NCCL 2.28 and newer: one context per communicator.
#include "plugin/abi/collnet_v11.h"

#include "plugin/abi/collnet_adapter.h"

NETSENSE_EXPORT_COLLNET(11)
