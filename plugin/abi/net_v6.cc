// For NCCL 2.13 and newer: no context, int sizes.
#include "plugin/abi/net_v6.h"
#include "plugin/abi/net_adapter.h"

NETSENSE_EXPORT_NET(6)
