// The cost model against tables that NCCL 2.28.9 gave to a tuner plugin on a 100 Gbit/s device, and the
// grammar of NCCL_ALGO and NCCL_PROTO.
#include "tools/engine/plan/cost.h"
#include "tests/catch.h"

using namespace netsense::engine;

namespace {

CostInputs inputs_for(int ranks, std::string_view algo = "", std::string_view proto = "") {
  CostInputs inputs;
  inputs.ranks = ranks;
  std::string error;
  REQUIRE(parse_choices(algo, proto, inputs.choices, error) == ns_success);
  return inputs;
}

struct Expected {
  int ranks;
  size_t bytes;
  float tree_ll, tree_simple, ring_ll, ring_simple;
};

float at(const CostTable& table, Algorithm algorithm, Protocol protocol) {
  return table[static_cast<size_t>(algorithm)][static_cast<size_t>(protocol)];
}

}  // namespace

TEST_CASE("all-reduce costs are NCCL's") {
  const Expected expected = GENERATE(Expected{2, 1024, 17.2607F, 36.5212F, 16.7707F, 51.0453F},
                                     Expected{4, 1024, 27.7215F, 64.6425F, 36.856F, 129.488F},
                                     Expected{2, 262144, 282.184F, 92.2704F, 60.2907F, 72.8053F},
                                     Expected{4, 262144, 557.569F, 176.141F, 102.136F, 162.128F},
                                     Expected{2, 1048576, 866.03F, 259.882F, 191.363F, 138.341F},
                                     Expected{4, 1048576, 1725.26F, 511.363F, 298.744F, 260.432F});
  const CostTable table = CostModel(inputs_for(expected.ranks))
                              .table(Function::kAllReduce, expected.bytes, 1, ns_float32, ns_sum);
  CHECK(at(table, Algorithm::kTree, Protocol::kLL) == Approx(expected.tree_ll).epsilon(1e-4));
  CHECK(at(table, Algorithm::kTree, Protocol::kSimple) == Approx(expected.tree_simple).epsilon(1e-4));
  CHECK(at(table, Algorithm::kRing, Protocol::kLL) == Approx(expected.ring_ll).epsilon(1e-4));
  CHECK(at(table, Algorithm::kRing, Protocol::kSimple) == Approx(expected.ring_simple).epsilon(1e-4));
  CHECK(at(table, Algorithm::kRing, Protocol::kLL128) == kCostIgnore);
  CHECK(at(table, Algorithm::kCollNetChain, Protocol::kSimple) == kCostIgnore);
}

TEST_CASE("all-gather and broadcast costs are NCCL's") {
  const CostModel two(inputs_for(2));
  const CostTable gather = two.table(Function::kAllGather, 1048576, 1, ns_int8, ns_sum);
  CHECK(at(gather, Algorithm::kRing, Protocol::kLL) == Approx(98.9813F).epsilon(1e-4));
  CHECK(at(gather, Algorithm::kRing, Protocol::kSimple) == Approx(66.0907F).epsilon(1e-4));
  CHECK(at(gather, Algorithm::kPat, Protocol::kSimple) == Approx(75.8542F).epsilon(1e-4));
  const CostTable broadcast =
      CostModel(inputs_for(4)).table(Function::kBroadcast, 16777216, 1, ns_int8, ns_sum);
  CHECK(at(broadcast, Algorithm::kRing, Protocol::kLL) == Approx(2805.5F).epsilon(1e-4));
  CHECK(at(broadcast, Algorithm::kRing, Protocol::kSimple) == Approx(1420.5F).epsilon(1e-4));
}

TEST_CASE("CollNet costs, only where the plugin reduces") {
  CostInputs inputs = inputs_for(2, "CollnetChain");
  inputs.collnet = true;
  inputs.collnet_reduces[ns_float32][ns_sum] = true;
  const CostModel model(inputs);
  CHECK(at(model.table(Function::kAllReduce, 16777216, 1, ns_float32, ns_avg), Algorithm::kCollNetChain,
           Protocol::kSimple) == Approx(1412.1F).epsilon(1e-4));
  CHECK(at(model.table(Function::kAllReduce, 16777216, 1, ns_float32, ns_max), Algorithm::kCollNetChain,
           Protocol::kSimple) == kCostIgnore);
}

TEST_CASE("NCCL_ALGO and NCCL_PROTO") {
  Choices choices;
  std::string error;
  REQUIRE(parse_choices("tree;allgather:ring,PAT", "^ll128;Broadcast:LL", choices, error) == ns_success);
  const auto on = [&](Function f, Algorithm a) {
    return choices.algorithms[static_cast<size_t>(f)][static_cast<size_t>(a)];
  };
  const auto proto = [&](Function f, Protocol p) {
    return choices.protocols[static_cast<size_t>(f)][static_cast<size_t>(p)];
  };
  CHECK(on(Function::kAllReduce, Algorithm::kTree));
  CHECK_FALSE(on(Function::kAllReduce, Algorithm::kRing));
  CHECK_FALSE(on(Function::kAllGather, Algorithm::kTree));
  CHECK(on(Function::kAllGather, Algorithm::kPat));
  CHECK(proto(Function::kReduce, Protocol::kSimple));
  CHECK_FALSE(proto(Function::kReduce, Protocol::kLL128));
  CHECK_FALSE(proto(Function::kBroadcast, Protocol::kSimple));
  CHECK(parse_choices("rink", "", choices, error) == ns_invalid_usage);
  CHECK(error.find("rink") != std::string::npos);
  CHECK(parse_choices("", "LL;Simple", choices, error) == ns_invalid_usage);
  CHECK(parse_choices("alreduce:ring", "", choices, error) == ns_invalid_usage);
}
