// One set of functions behind the tables of tuner v2 to v6: plugin/collnet/steering.h says what they choose.
#pragma once

#include "plugin/abi/common.h"
#include "plugin/abi/tuner_v5.h"
#include "plugin/collnet/steering.h"
#include "plugin/core/devices.h"

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

// v2 names the algorithm instead of pricing it. NCCL then takes what it can do of that.
inline Result get_coll_info(void* /*context*/, Function function, size_t bytes, int collnet, int /*nvls*/,
                            int /*pipelined_operations*/, int* algorithm, int* protocol, int* /*channels*/) {
  if (collnet != 0 && collnet::opted_in(core::settings(), function, bytes)) {
    *algorithm = collnet::kCollNetChain;
    *protocol = collnet::kProtoSimple;
  }
  return Result::kOk;
}

// cost_table: as NCCL passes it, one block of algorithms x protocols numbers behind a pointer of another
// type.
inline Result get_coll_info(void* /*context*/, Function function, size_t bytes, int /*pipelined_operations*/,
                            float** cost_table, int algorithms, int protocols, int* /*channels*/) {
  if (cost_table == nullptr || algorithms <= 0 || protocols <= 0) return Result::kOk;
  auto* costs = reinterpret_cast<float*>(cost_table);
  collnet::steer(collnet::opted_in(core::settings(), function, bytes),
                 {costs, static_cast<size_t>(algorithms) * static_cast<size_t>(protocols)}, algorithms,
                 protocols);
  return Result::kOk;
}

inline Result get_coll_info(void* context, Function function, size_t bytes, int pipelined_operations,
                            float** cost_table, int algorithms, int protocols, int /*registered*/,
                            int* channels) {
  return get_coll_info(context, function, bytes, pipelined_operations, cost_table, algorithms, protocols,
                       channels);
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
