// For NCCL 2.20 and newer.
#include "plugin/abi/net_v8.h"
#include "plugin/abi/net_adapter.h"

NETSENSE_EXPORT_NET(8)
