// ncclTuner_v3: changes a table of costs instead.
#pragma once

#include "plugin/abi/tuner_v2.h"

namespace netsense::abi {

struct TunerV3 {
  const char* name;
  TunerInitV2 init;
  // cost_table: float[algorithms][protocols], microseconds; -1 where NCCL does not offer the pair.
  Result (*get_coll_info)(void* context, Function function, size_t bytes, int pipelined_operations,
                          float** cost_table, int algorithms, int protocols, int* channels);
  Result (*destroy)(void* context);
};
static_assert(sizeof(TunerV3) == 4 * 8);

}  // namespace netsense::abi
