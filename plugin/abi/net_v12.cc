// For NCCL 2.30 and newer.
#include "plugin/abi/net_v12.h"
#include "plugin/abi/net_adapter.h"

NETSENSE_EXPORT_NET(12)
