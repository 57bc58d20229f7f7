// Which algorithm, protocol, channels and warps a collective gets, from a table of costs.
#pragma once

#include <optional>

#include "tools/engine/plan/plan.h"

namespace netsense::engine {

struct Choice {
  Algorithm algorithm = Algorithm::kRing;
  Protocol protocol = Protocol::kSimple;
  int max_channels = 1;
  int warps = 1;
};

// The cheapest pair that this engine can run; nothing when all are off. PAT is never chosen although NCCL
// may: its cost is only there for tuner plugins to see.
std::optional<Choice> choose(const CommShape& shape, const CostTable& costs, size_t bytes);

}  // namespace netsense::engine
