// For NCCL 2.24 and newer.
#include "plugin/abi/profiler_v2.h"
#include "plugin/abi/profiler_adapter.h"

NETSENSE_EXPORT_PROFILER(2)
