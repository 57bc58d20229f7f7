#include "plugin/collnet/steering.h"

#include <algorithm>

namespace netsense::collnet {
namespace {

// ncclFunc_t.
constexpr int kReduceScatter = 3;
constexpr int kAllReduce = 4;

// Dearer than anything: an hour.
constexpr float kAvoided = 3.6e9F;

bool is_collnet(int algorithm) {
  return algorithm == kCollNetDirect || algorithm == kCollNetChain;
}

}  // namespace

bool opted_in(const config::Settings& settings, int function, size_t bytes) {
  if (settings.mode != config::Mode::kAdaptive || bytes < settings.lossy_min_bytes) return false;
  const auto has = [&](config::LossyOp op) { return (settings.lossy_ops & static_cast<uint8_t>(op)) != 0; };
  return (function == kAllReduce && has(config::LossyOp::kAllReduce)) ||
         (function == kReduceScatter && has(config::LossyOp::kReduceScatter));
}

void steer(bool opted_in, std::span<float> costs, int algorithms, int protocols) {
  if (protocols <= kProtoSimple) return;
  const auto entry = [protocols](int algorithm, int protocol) {
    return static_cast<size_t>(algorithm) * static_cast<size_t>(protocols) + static_cast<size_t>(protocol);
  };
  const auto each = [&](bool collnet, auto&& what) {
    for (int algorithm = 0; algorithm < algorithms; ++algorithm) {
      if (is_collnet(algorithm) != collnet) continue;
      for (int protocol = 0; protocol < protocols; ++protocol) {
        float& cost = costs[entry(algorithm, protocol)];
        if (cost != kIgnored) what(cost);
      }
    }
  };
  bool others = false;
  each(false, [&](float&) { others = true; });
  if (!others) return;
  float least = kAvoided;
  each(true, [&](float& cost) { least = std::min(least, cost); });
  // Of CollNet's own algorithms NCCL's favourite stays the favourite.
  each(true, [&](float& cost) { cost = opted_in && cost == least ? 0 : kAvoided; });
}

}  // namespace netsense::collnet
