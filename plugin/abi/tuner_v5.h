// ncclTuner_v5: may change the table of costs by which NCCL picks algorithm and protocol.
#pragma once

#include "plugin/abi/tuner_v4.h"

namespace netsense::abi {

inline constexpr int kTunerAlgorithms = 7;
inline constexpr int kTunerProtocols = 3;
inline constexpr int kTunerLinks = 3;
inline constexpr int kTunerComputeCapabilities = 4;
inline constexpr int kTunerScales = 3;

struct NvlDomainInfoV5 {
  int domains;
  int min_ranks;
  int max_ranks;
};
static_assert(sizeof(NvlDomainInfoV5) == 12);

// The constants of NCCL's cost model, latencies in microseconds and bandwidths in GB/s.
struct TunerConstantsV5 {
  using PerCapability = double[kTunerComputeCapabilities][kTunerScales];
  double base_latencies[kTunerAlgorithms][kTunerProtocols];
  double hardware_latencies[kTunerLinks][kTunerAlgorithms][kTunerProtocols];
  PerCapability ll_max_bandwidths;
  PerCapability ring_ll128_channel_bandwidths;
  PerCapability tree_ll128_channel_bandwidths;
  PerCapability tree_channel_bandwidths;
  PerCapability nvls_tree_channel_bandwidths;
};
static_assert(sizeof(TunerConstantsV5) == 1152 && offsetof(TunerConstantsV5, ll_max_bandwidths) == 672);

// An error here makes the communicator fail.
using TunerInitV5 = Result (*)(void** context, uint64_t comm_id, size_t ranks, size_t nodes,
                               DebugLogger logger, NvlDomainInfoV5* nvl_domains, TunerConstantsV5* constants);

struct TunerV5 {
  const char* name;
  TunerInitV5 init;
  // cost_table: float[algorithms][protocols], microseconds. channels: left alone unless the tuner decides.
  TunerGetCollInfoV4 get_coll_info;
  Result (*finalize)(void* context);
};
static_assert(sizeof(TunerV5) == 4 * 8);

}  // namespace netsense::abi
