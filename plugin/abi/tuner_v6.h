// ncclTuner_v6: may change the chunk size.
#pragma once

#include "plugin/abi/tuner_v5.h"

namespace netsense::abi {

struct TunerV6 {
  const char* name;
  TunerInitV5 init;
  TunerGetCollInfoV4 get_coll_info;
  Result (*finalize)(void* context);
  // Null: NCCL's own chunk size, bytes.
  Result (*get_chunk_size)(void* context, Function function, size_t bytes, int algorithm, int protocol,
                           int channels, size_t* chunk_bytes);
};
static_assert(sizeof(TunerV6) == 5 * 8 && offsetof(TunerV6, get_chunk_size) == 4 * 8);

}  // namespace netsense::abi
