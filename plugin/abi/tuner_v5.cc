// For NCCL 2.28 and newer.
#include "plugin/abi/tuner_v5.h"
#include "plugin/abi/tuner_adapter.h"

NETSENSE_EXPORT_TUNER(5)
