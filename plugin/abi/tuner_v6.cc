// For NCCL 2.30 and newer.
#include "plugin/abi/tuner_v6.h"
#include "plugin/abi/tuner_adapter.h"

NETSENSE_EXPORT_TUNER(6)
