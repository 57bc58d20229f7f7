// For NCCL 2.21 and newer.
#include "plugin/abi/tuner_v2.h"
#include "plugin/abi/tuner_adapter.h"

NETSENSE_EXPORT_TUNER(2)
