// For NCCL 2.24 and newer.
#include "plugin/abi/tuner_v4.h"
#include "plugin/abi/tuner_adapter.h"

NETSENSE_EXPORT_TUNER(4)
