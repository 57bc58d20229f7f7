// For NCCL 2.28 and newer.
#include "plugin/abi/profiler_v5.h"
#include "plugin/abi/profiler_adapter.h"

NETSENSE_EXPORT_PROFILER(5)
