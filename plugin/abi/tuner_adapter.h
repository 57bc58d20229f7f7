// One set of functions behind the tables of tuner v2 to v6. All ranks must choose alike or the job hangs, so
// a tuner may decide by settings and by arguments that are equal on all ranks, and by nothing a rank
// measures. No setting steers the choice: NCCL keeps its own, and what its table says to ignore stays so.
#pragma once

#include "plugin/abi/common.h"
#include "plugin/abi/tuner_v5.h"

namespace netsense::abi::tuner {

// NCCL gives up the communicator when a tuner's init fails.
inline Result no_state(void** context) {
  if (context != nullptr) *context = nullptr;
  return Result::kOk;
}

inline Result init(size_t /*ranks*/, size_t /*nodes*/, DebugLogger /*logger*/, void** context) {
  return no_state(context);
}

inline Result init(void** context, uint64_t /*comm_id*/, size_t /*ranks*/, size_t /*nodes*/,
                   DebugLogger /*logger*/, NvlDomainInfoV5* /*nvl_domains*/,
                   TunerConstantsV5* /*constants*/) {
  return no_state(context);
}

inline Result get_coll_info(void* /*context*/, Function /*function*/, size_t /*bytes*/, int /*collnet*/,
                            int /*nvls*/, int /*pipelined_operations*/, int* /*algorithm*/, int* /*protocol*/,
                            int* /*channels*/) {
  return Result::kOk;
}

inline Result get_coll_info(void* /*context*/, Function /*function*/, size_t /*bytes*/,
                            int /*pipelined_operations*/, float** /*cost_table*/, int /*algorithms*/,
                            int /*protocols*/, int* /*channels*/) {
  return Result::kOk;
}

inline Result get_coll_info(void* /*context*/, Function /*function*/, size_t /*bytes*/,
                            int /*pipelined_operations*/, float** /*cost_table*/, int /*algorithms*/,
                            int /*protocols*/, int /*registered*/, int* /*channels*/) {
  return Result::kOk;
}

inline Result end(void* /*context*/) {
  return Result::kOk;
}

// v6's get_chunk_size stays null, by which NCCL keeps its own chunk size.
template <typename Table>
constexpr Table make_table() {
  Table table{};
  table.name = "netsense";
  table.init = init;
  table.get_coll_info = get_coll_info;
  if constexpr (requires { table.destroy; }) {
    table.destroy = end;
  } else {
    table.finalize = end;
  }
  return table;
}

}  // namespace netsense::abi::tuner

// The data symbol that NCCL looks up, as NETSENSE_EXPORT_NET makes it.
#define NETSENSE_EXPORT_TUNER(version)                                                     \
  extern "C" {                                                                             \
  extern __attribute__((visibility("default"))) const netsense::abi::TunerV##version       \
      ncclTunerPlugin_v##version; /* NOLINT(readability-identifier-naming): NCCL's name */ \
  constinit const netsense::abi::TunerV##version ncclTunerPlugin_v##version =              \
      netsense::abi::tuner::make_table<netsense::abi::TunerV##version>();                  \
  }
