// For NCCL 2.26 and newer.
#include "plugin/abi/profiler_v3.h"
#include "plugin/abi/profiler_adapter.h"

NETSENSE_EXPORT_PROFILER(3)
