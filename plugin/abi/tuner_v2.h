// ncclTuner_v2: names one algorithm and one protocol, or none.
#pragma once

#include "plugin/abi/common.h"

namespace netsense::abi {

// An error here makes the communicator fail.
using TunerInitV2 = Result (*)(size_t ranks, size_t nodes, DebugLogger logger, void** context);

struct TunerV2 {
  const char* name;
  TunerInitV2 init;
  // algorithm, protocol, channels: left alone unless the tuner decides.
  Result (*get_coll_info)(void* context, Function function, size_t bytes, int collnet, int nvls,
                          int pipelined_operations, int* algorithm, int* protocol, int* channels);
  Result (*destroy)(void* context);
};
static_assert(sizeof(TunerV2) == 4 * 8);

}  // namespace netsense::abi
