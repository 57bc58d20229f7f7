// For NCCL 2.26 and newer.
#include "plugin/abi/net_v10.h"
#include "plugin/abi/net_adapter.h"

NETSENSE_EXPORT_NET(10)
