#include "tools/engine/plan/cost.h"

#include <algorithm>

#include "tools/engine/plan/arithmetic.h"

namespace netsense::engine {
namespace {

constexpr size_t kTree = static_cast<size_t>(Algorithm::kTree);
constexpr size_t kRing = static_cast<size_t>(Algorithm::kRing);
constexpr size_t kChain = static_cast<size_t>(Algorithm::kCollNetChain);
constexpr size_t kPat = static_cast<size_t>(Algorithm::kPat);
constexpr size_t kLL = static_cast<size_t>(Protocol::kLL);
constexpr size_t kSimple = static_cast<size_t>(Protocol::kSimple);

using ByProtocol = std::array<double, kProtocols>;

// Constants of NCCL's tuning model, microseconds: the cost of a kernel, and of one step between nodes.
constexpr ByProtocol kBaseTree{6.8, 14.0, 8.4};
constexpr ByProtocol kBaseRing{6.6, 14.0, 8.4};
constexpr double kBasePat = 8.0;
constexpr ByProtocol kNetTree{5.0, 8.5, 14.0};
constexpr ByProtocol kNetRing{2.7, 4.0, 14.0};

// GB/s that the CPU's path bears with LL: two nodes, more nodes.
constexpr std::array<double, 2> kLowLatencyMax{39.0, 20.4};

// Trees reach less than the model says at middle sizes: factor per power of two from 64 bytes on.
constexpr size_t kCorrections = 23;
using Corrections = std::array<double, kCorrections>;
constexpr Corrections kTreeCorrectionLL{1.0, 1.0, 1.0, 1.0, .9, .8, .7, .7,  .7,  .7,  .6, .5,
                                        .4,  .4,  .5,  .6,  .7, .8, .9, 1.0, 1.0, 1.0, 1.0};
constexpr Corrections kTreeCorrectionSimple{.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
                                            .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9};

// Steps between neighbours, one after the other.
int ring_steps(Function function, int ranks) {
  if (function == Function::kAllReduce) return 2 * (ranks - 1);
  if (function == Function::kReduceScatter || function == Function::kAllGather) return ranks - 1;
  return ranks;
}

bool gathers_or_scatters(Function function) {
  return function == Function::kAllGather || function == Function::kReduceScatter;
}

struct Entry {
  double latency = 0;
  double bandwidth = 0;  // 0: not offered
};

Entry ring_entry(const CostInputs& in, Function function, size_t protocol) {
  const int steps = ring_steps(function, in.ranks);
  double bandwidth = in.bandwidth;
  if (protocol == kLL) bandwidth = std::min(kLowLatencyMax[in.ranks <= 2 ? 0 : 1], bandwidth * .5);
  bandwidth *= static_cast<double>(in.ranks) / steps;
  if (function == Function::kBroadcast || function == Function::kReduce) {
    return {kBaseRing[protocol] + kNetRing[protocol], bandwidth};
  }
  double step = kNetTree[protocol] + in.net_latency;
  if (protocol == kSimple) step += in.net_latency;  // a flush
  return {kBaseRing[protocol] + steps * step, bandwidth};
}

// Between two nodes a tree uses both directions of the link.
double tree_bandwidth(const CostInputs& in) {
  return in.ranks <= 2 ? 2 * in.bandwidth : in.bandwidth;
}

Entry tree_entry(const CostInputs& in, size_t protocol) {
  double bandwidth = tree_bandwidth(in) * .92;
  if (protocol == kLL) bandwidth /= 3.8;
  bandwidth *= .85 * .5;  // a plain tree pattern; half of the bytes cross a link
  double step = kNetTree[protocol] + in.net_latency;
  if (protocol == kSimple) step += in.net_latency;
  return {kBaseTree[protocol] + 2 * log2_down(static_cast<size_t>(in.ranks)) * step, bandwidth};
}

Entry chain_entry(const CostInputs& in) {
  return {kNetTree[kSimple] + 2 * in.net_latency, in.bandwidth};
}

Entry pat_entry(const CostInputs& in) {
  const double step = (kNetTree[kSimple] + 2 * in.net_latency) / 3.5;
  return {kBasePat + log2_down(static_cast<size_t>(in.ranks)) * step + in.ranks * 2.8,
          tree_bandwidth(in) * .75};
}

Entry model_entry(const CostInputs& in, Function function, size_t algorithm, size_t protocol) {
  const bool reduce_all = function == Function::kAllReduce;
  if (algorithm == kRing) return ring_entry(in, function, protocol);
  if (algorithm == kTree && reduce_all) return tree_entry(in, protocol);
  if (algorithm == kChain && reduce_all && protocol == kSimple && in.collnet) return chain_entry(in);
  if (algorithm == kPat && gathers_or_scatters(function) && protocol == kSimple) return pat_entry(in);
  return {};
}

}  // namespace

CostModel::CostModel(const CostInputs& inputs) : inputs_(inputs), latency_{}, bandwidth_{} {
  if (inputs.ranks <= 1) return;
  for (size_t f = 0; f < kCollFunctions; ++f) {
    for (size_t a = 0; a < kAlgorithms; ++a) {
      for (const size_t p : {kLL, kSimple}) {  // NCCL leaves LL128 off between nodes by default
        if (!inputs.choices.algorithms[f][a] || !inputs.choices.protocols[f][p]) continue;
        const Entry entry = model_entry(inputs, static_cast<Function>(f), a, p);
        latency_[f][a][p] = static_cast<float>(entry.latency);
        bandwidth_[f][a][p] = static_cast<float>(entry.bandwidth);
      }
    }
  }
}

float CostModel::time(Function function, size_t algorithm, size_t protocol, size_t bytes,
                      int pipe_ops) const {
  const auto f = static_cast<size_t>(function);
  double bandwidth = bandwidth_[f][algorithm][protocol];
  double latency = latency_[f][algorithm][protocol];
  if (bandwidth == 0) return kCostIgnore;
  if (algorithm == kTree && bytes >= 64) {
    const auto place = static_cast<size_t>(log2_down(bytes >> 6));
    const Corrections& corrections = protocol == kLL ? kTreeCorrectionLL : kTreeCorrectionSimple;
    if (place < kCorrections) bandwidth *= corrections[place];
  }
  const size_t shares = static_cast<size_t>(inputs_.channels) * static_cast<size_t>(inputs_.ranks);
  if (algorithm == kRing && protocol == kSimple && function == Function::kAllReduce && bytes / shares >= 64) {
    latency *= 1.4;  // rings do not reach their latency once data flows
  }
  constexpr int kCollsPerBatch = 9;  // trees, not rings, overlap the operations of a batch
  const int times = algorithm == kRing ? pipe_ops : div_up(pipe_ops, kCollsPerBatch);
  return static_cast<float>(latency * times + static_cast<double>(bytes) / (1000 * bandwidth));
}

CostTable CostModel::table(Function function, size_t bytes, int pipe_ops, ns_type type, ns_op op) const {
  CostTable table;
  for (auto& row : table) row.fill(kCostIgnore);
  if (inputs_.ranks <= 1) {
    table[kRing][kSimple] = 0;
    return table;
  }
  const bool eight_bit_float = type == ns_float8_e4m3 || type == ns_float8_e5m2;
  const ns_op on_wire = op == ns_avg ? ns_sum : op;
  for (size_t a = 0; a < kAlgorithms; ++a) {
    if (a == kChain && !inputs_.collnet_reduces[static_cast<size_t>(type)][static_cast<size_t>(on_wire)])
      continue;
    if (a == kPat && function == Function::kReduceScatter && op == ns_avg) continue;
    for (size_t p = 0; p < kProtocols; ++p) {
      table[a][p] = time(function, a, p, bytes, pipe_ops);
      // Long rings lose too much precision; a factor that keeps them behind everything else.
      if (eight_bit_float && a == kRing && inputs_.ranks > 8 && table[a][p] > 0) table[a][p] *= 1024;
    }
  }
  return table;
}

}  // namespace netsense::engine
