// For NCCL 2.28 and newer: one context per communicator.
#include "plugin/abi/net_v11.h"
#include "plugin/abi/net_adapter.h"

NETSENSE_EXPORT_NET(11)
