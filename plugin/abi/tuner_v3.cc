// For NCCL 2.22 and newer.
#include "plugin/abi/tuner_v3.h"
#include "plugin/abi/tuner_adapter.h"

NETSENSE_EXPORT_TUNER(3)
