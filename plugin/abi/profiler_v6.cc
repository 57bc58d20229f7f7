// For NCCL 2.29 and newer.
#include "plugin/abi/profiler_v6.h"
#include "plugin/abi/profiler_adapter.h"

NETSENSE_EXPORT_PROFILER(6)
