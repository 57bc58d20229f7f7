// For NCCL 2.27 and newer.
#include "plugin/abi/profiler_v4.h"
#include "plugin/abi/profiler_adapter.h"

NETSENSE_EXPORT_PROFILER(4)
