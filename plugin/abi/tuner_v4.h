// ncclTuner_v4: told whether the user's buffers are registered.
#pragma once

#include "plugin/abi/tuner_v2.h"

namespace netsense::abi {

using TunerGetCollInfoV4 = Result (*)(void* context, Function function, size_t bytes,
                                      int pipelined_operations, float** cost_table, int algorithms,
                                      int protocols, int registered, int* channels);

struct TunerV4 {
  const char* name;
  TunerInitV2 init;
  TunerGetCollInfoV4 get_coll_info;
  Result (*destroy)(void* context);
};
static_assert(sizeof(TunerV4) == 4 * 8);

}  // namespace netsense::abi
