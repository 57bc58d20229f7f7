// For NCCL 2.23 and newer.
#include "plugin/abi/profiler_v1.h"
#include "plugin/abi/profiler_adapter.h"

NETSENSE_EXPORT_PROFILER(1)
