#include "tools/engine/plan/choose.h"

#include <algorithm>

namespace netsense::engine {
namespace {

constexpr int kWarp = 32;
constexpr int kMaxThreads = 640;

bool can_run(Algorithm algorithm, Protocol protocol) {
  if (algorithm == Algorithm::kCollNetChain) return protocol == Protocol::kSimple;
  return (algorithm == Algorithm::kRing || algorithm == Algorithm::kTree) && protocol != Protocol::kLL128;
}

int most_threads(Algorithm algorithm, Protocol protocol) {
  if (algorithm == Algorithm::kCollNetChain) return kMaxThreads;
  return algorithm == Algorithm::kRing && protocol == Protocol::kSimple ? 256 : 512;
}

// Bytes per thread below which fewer threads and channels are used.
size_t thread_threshold(Algorithm algorithm, Protocol protocol, int ranks) {
  if (algorithm == Algorithm::kCollNetChain) return 512;
  if (protocol == Protocol::kSimple) return 64;
  return algorithm == Algorithm::kRing ? 8 * static_cast<size_t>(ranks) : 8;
}

int warps_for(Algorithm algorithm, Protocol protocol, int threads) {
  if (algorithm == Algorithm::kTree) return kMaxThreads / kWarp;
  if (algorithm == Algorithm::kRing && protocol == Protocol::kSimple)
    threads += kWarp;  // one warp synchronises
  return std::max(threads / kWarp, 3);
}

}  // namespace

std::optional<Choice> choose(const CommShape& shape, const CostTable& costs, size_t bytes) {
  std::optional<Choice> best;
  float least = 3.6e9F;
  for (size_t a = 0; a < kAlgorithms; ++a) {
    for (size_t p = 0; p < kProtocols; ++p) {
      const auto algorithm = static_cast<Algorithm>(a);
      const auto protocol = static_cast<Protocol>(p);
      if (!can_run(algorithm, protocol) || costs[a][p] < 0 || costs[a][p] >= least) continue;
      least = costs[a][p];
      best = Choice{algorithm, protocol, 1, 1};
    }
  }
  if (!best) return best;
  int threads = most_threads(best->algorithm, best->protocol);
  const size_t threshold = thread_threshold(best->algorithm, best->protocol, shape.ranks);
  best->max_channels = static_cast<int>(shape.channels.size());
  const auto too_small = [&] {
    return bytes < static_cast<size_t>(best->max_channels) * static_cast<size_t>(threads) * threshold;
  };
  while (best->max_channels > 1 && too_small()) --best->max_channels;
  while (threads % 128 == 0 && too_small()) threads /= 2;
  best->warps = warps_for(best->algorithm, best->protocol, threads);
  return best;
}

}  // namespace netsense::engine
