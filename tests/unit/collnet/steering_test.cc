// Which collectives go by CollNet: those the user asked for and no other, and what NCCL rules out stays ruled
// out.
#include "plugin/collnet/steering.h"

#include <vector>

#include "tests/catch.h"

namespace netsense::collnet {
namespace {

constexpr int kAlgorithms = 7;
constexpr int kProtocols = 3;
constexpr int kFunctionBroadcast = 0;
constexpr int kFunctionAllGather = 2;
constexpr int kFunctionReduceScatter = 3;
constexpr int kFunctionAllReduce = 4;

config::Settings adaptive() {
  config::Settings settings;
  settings.mode = config::Mode::kAdaptive;
  return settings;
}

size_t at(int algorithm, int protocol) {
  return static_cast<size_t>(algorithm) * kProtocols + static_cast<size_t>(protocol);
}

int best(const std::vector<float>& costs) {
  int least = -1;
  for (size_t i = 0; i < costs.size(); ++i) {
    if (costs[i] != kIgnored && (least < 0 || costs[i] < costs[static_cast<size_t>(least)]))
      least = static_cast<int>(i);
  }
  return least;
}

// Ring and tree by every protocol, CollNet by Simple only, as NCCL has it.
std::vector<float> table() {
  std::vector<float> costs(size_t{kAlgorithms} * kProtocols, kIgnored);
  for (int protocol = 0; protocol < kProtocols; ++protocol) {
    costs[at(0, protocol)] = 20 + static_cast<float>(protocol);
    costs[at(1, protocol)] = 10 + static_cast<float>(protocol);
  }
  costs[at(kCollNetChain, kProtoSimple)] = 5;
  return costs;
}

}  // namespace

TEST_CASE("only what the settings name is opted in") {
  config::Settings settings = adaptive();
  constexpr size_t kLarge = size_t{1} << 20;
  CHECK(opted_in(settings, kFunctionAllReduce, kLarge));
  CHECK_FALSE(opted_in(settings, kFunctionAllReduce, kLarge - 1));
  CHECK_FALSE(opted_in(settings, kFunctionReduceScatter, kLarge));
  CHECK_FALSE(opted_in(settings, kFunctionAllGather, kLarge));
  CHECK_FALSE(opted_in(settings, kFunctionBroadcast, kLarge));
  settings.lossy_ops = static_cast<uint8_t>(config::LossyOp::kReduceScatter);
  CHECK(opted_in(settings, kFunctionReduceScatter, kLarge));
  CHECK_FALSE(opted_in(settings, kFunctionAllReduce, kLarge));
  for (const config::Mode mode : {config::Mode::kOff, config::Mode::kLossless}) {
    config::Settings exact;
    exact.mode = mode;
    CHECK_FALSE(opted_in(exact, kFunctionAllReduce, kLarge));
  }
}

TEST_CASE("opted in goes by CollNet, all else does not") {
  std::vector<float> costs = table();
  steer(true, costs, kAlgorithms, kProtocols);
  CHECK(best(costs) == static_cast<int>(at(kCollNetChain, kProtoSimple)));
  costs = table();
  steer(false, costs, kAlgorithms, kProtocols);
  CHECK(best(costs) == static_cast<int>(at(1, 0)));
}

TEST_CASE("of CollNet's algorithms NCCL's choice stands") {
  std::vector<float> costs = table();
  costs[at(kCollNetDirect, kProtoSimple)] = 4;
  steer(true, costs, kAlgorithms, kProtocols);
  CHECK(best(costs) == static_cast<int>(at(kCollNetDirect, kProtoSimple)));
}

TEST_CASE("ignored entries stay ignored, and without CollNet or without anything else nothing changes") {
  for (const bool wanted : {true, false}) {
    std::vector<float> costs = table();
    costs[at(kCollNetChain, kProtoSimple)] = kIgnored;
    const std::vector<float> without = costs;
    steer(wanted, costs, kAlgorithms, kProtocols);
    CHECK(costs == without);
    std::vector<float> only(costs.size(), kIgnored);
    only[at(kCollNetChain, kProtoSimple)] = 5;
    const std::vector<float> before = only;
    steer(wanted, only, kAlgorithms, kProtocols);
    CHECK(only == before);
  }
  std::vector<float> costs = table();
  steer(true, costs, kAlgorithms, kProtocols);
  for (size_t i = 0; i < costs.size(); ++i) {
    const bool ignored = table()[i] == kIgnored;
    CHECK((costs[i] == kIgnored) == ignored);
  }
}

}  // namespace netsense::collnet
