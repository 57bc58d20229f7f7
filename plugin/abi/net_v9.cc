// For NCCL 2.24 and newer: size_t sizes, and the hint that a receive's completion is optional.
#include "plugin/abi/net_v9.h"
#include "plugin/abi/net_adapter.h"

NETSENSE_EXPORT_NET(9)
