// For NCCL 2.19 and newer.
#include "plugin/abi/net_v7.h"
#include "plugin/abi/net_adapter.h"

NETSENSE_EXPORT_NET(7)
