// Plans against what NCCL 2.28.9 did in recorded runs (100 Gbit/s, one GPU per node): algorithm, protocol,
// channels, warps, steps and sizes.
#include <algorithm>

#include "tests/catch.h"
#include "tools/engine/plan/plan.h"

using namespace netsense::engine;

namespace {

CostModel costs_for(int ranks, std::string_view algo = "", std::string_view proto = "",
                    bool collnet = false) {
  CostInputs inputs;
  inputs.ranks = ranks;
  inputs.collnet = collnet;
  inputs.collnet_reduces[ns_float32][ns_sum] = collnet;
  std::string error;
  REQUIRE(parse_choices(algo, proto, inputs.choices, error) == ns_success);
  return CostModel(inputs);
}

CollTask task_for(Function function, size_t count, ns_type type = ns_float32) {
  CollTask task;
  task.function = function;
  task.count = count;
  task.type = type;
  return task;
}

Plan plan_for(int ranks, int rank, const CostModel& costs, std::vector<CollTask> colls,
              const std::vector<P2pTask>& p2ps = {}, const PlanSettings& settings = {}) {
  OpCounts counts;
  PlanResult result = make_plan(make_shape(ranks, rank), settings, costs, {}, std::move(colls), p2ps, counts);
  REQUIRE(result.result == ns_success);
  return std::move(result.plan);
}

struct AutoCase {
  int ranks;
  size_t bytes;
  Algorithm algorithm;
  Protocol protocol;
  int channels;
  int warps;
};

size_t work_count(const Plan& plan, int channel) {
  const auto& batches = plan.batches[static_cast<size_t>(channel)];
  return batches.empty() ? 0 : std::get<std::vector<CollWork>>(batches[0])[0].part.count;
}

std::vector<P2pTask> to_peers(int ranks, size_t bytes, std::vector<std::byte>& memory) {
  std::vector<P2pTask> tasks;
  memory.resize(bytes * 2);
  for (int peer = 0; peer < ranks; ++peer) {
    tasks.push_back({true, memory.data(), bytes, peer});
    tasks.push_back({false, memory.data() + bytes, bytes, peer, Function::kRecv});
  }
  return tasks;
}

}  // namespace

TEST_CASE("all-reduce: NCCL's choice") {
  const auto c = GENERATE(AutoCase{2, 1024, Algorithm::kRing, Protocol::kLL, 1, 3},
                          AutoCase{4, 1024, Algorithm::kTree, Protocol::kLL, 1, 20},
                          AutoCase{2, 1 << 20, Algorithm::kRing, Protocol::kSimple, 2, 9},
                          AutoCase{4, 1 << 20, Algorithm::kRing, Protocol::kSimple, 2, 9},
                          AutoCase{2, 16 << 20, Algorithm::kRing, Protocol::kSimple, 2, 9});
  const Plan plan = plan_for(c.ranks, 0, costs_for(c.ranks), {task_for(Function::kAllReduce, c.bytes / 4)});
  REQUIRE(plan.colls.size() == 1);
  CHECK(plan.colls[0].algorithm == c.algorithm);
  CHECK(plan.colls[0].protocol == c.protocol);
  CHECK(plan.colls[0].channels == c.channels);
  CHECK(plan.colls[0].warps == c.warps);
}

TEST_CASE("all-reduce, ring, Simple, 1 MiB on four ranks: twelve messages of two steps per connection") {
  const Plan plan = plan_for(4, 0, costs_for(4, "Ring", "Simple"), {task_for(Function::kAllReduce, 262144)});
  REQUIRE(plan.proxy_ops.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    const ProxyOp& op = plan.proxy_ops[i];
    CHECK(op.channel == static_cast<int>(i / 2));
    CHECK(op.send == (i % 2 == 1));
    CHECK(op.peer == (op.send ? 1 : 3));
    CHECK(op.nsteps == 24);
    CHECK(op.slice_steps == 2);
    CHECK(op.nbytes == 1 << 20);
    CHECK(op.chunk_size == 2 << 20);
    CHECK(op.pattern == Pattern::kRingTwice);
  }
}

TEST_CASE("all-reduce, tree: operations for children and parent, both ways") {
  const Plan plan = plan_for(4, 2, costs_for(4, "Tree", "Simple"), {task_for(Function::kAllReduce, 256)});
  REQUIRE(plan.proxy_ops.size() == 6);
  const std::vector<std::pair<int, bool>> expected{{1, false}, {3, false}, {0, true},
                                                   {1, true},  {3, true},  {0, false}};
  for (size_t i = 0; i < expected.size(); ++i) {
    CHECK(plan.proxy_ops[i].peer == expected[i].first);
    CHECK(plan.proxy_ops[i].send == expected[i].second);
    CHECK(plan.proxy_ops[i].nsteps == 1);
    CHECK(plan.proxy_ops[i].nbytes == 524288);
  }
}

TEST_CASE("four channels, buffers of 1 MiB") {
  OpCounts counts;
  const PlanResult four = make_plan(make_shape(2, 0, {4, 4}), {}, costs_for(2), {},
                                    {task_for(Function::kAllReduce, 4 << 20)}, {}, counts);
  CHECK(four.plan.colls[0].channels == 4);
  CHECK(four.plan.proxy_ops[0].nsteps == 8);
  PlanSettings small;
  small.buffer_bytes[2] = 1 << 20;
  const Plan plan = plan_for(2, 0, costs_for(2), {task_for(Function::kAllReduce, 4 << 20)}, {}, small);
  CHECK(plan.proxy_ops[0].nbytes == 262144);
  CHECK(plan.proxy_ops[0].nsteps == 64);
}

TEST_CASE("broadcast and reduce: the ends of the chain have one side only") {
  for (int rank = 0; rank < 4; ++rank) {
    const Plan broadcast = plan_for(4, rank, costs_for(4), {task_for(Function::kBroadcast, 4 << 20)});
    const Plan reduce = plan_for(4, rank, costs_for(4), {task_for(Function::kReduce, 4 << 20)});
    CHECK(broadcast.proxy_ops.size() == (rank == 0 || rank == 3 ? 2 : 4));
    CHECK(reduce.proxy_ops.size() == (rank == 0 || rank == 1 ? 2 : 4));
    CHECK(broadcast.proxy_ops[0].nsteps == 16);
    CHECK(broadcast.proxy_ops[0].nbytes == 524288);
  }
}

TEST_CASE("a group of all-reduce and all-gather shares the channels by traffic") {
  const Plan plan = plan_for(
      2, 0, costs_for(2), {task_for(Function::kAllReduce, 262144), task_for(Function::kAllGather, 131072)});
  REQUIRE(plan.colls.size() == 2);
  CHECK(plan.colls[0].task.function == Function::kAllReduce);
  CHECK(plan.colls[0].channels == 2);
  CHECK(plan.colls[1].channels == 1);
  CHECK(plan.colls[1].channel_lo == 1);
  CHECK(plan.colls[1].task.count == 524288);  // bytes
  CHECK(work_count(plan, 0) * 4 == 4 * 196608);
  CHECK(work_count(plan, 1) * 4 == 4 * 65536);
  CHECK(plan.proxy_ops.back().op_count == 2);
}

TEST_CASE("parts of a collective cover it without gap, whatever its size") {
  for (const size_t count : {1UL, 5UL, 1000UL, 4097UL, 262143UL, 1048577UL, 12345678UL}) {
    for (const Function function : {Function::kAllReduce, Function::kReduceScatter, Function::kBroadcast}) {
      for (const int channels : {1, 2, 3, 8}) {
        OpCounts counts;
        const PlanResult result =
            make_plan(make_shape(3, 1, {channels, channels}), {}, costs_for(3), {},
                      {task_for(function, count), task_for(function, count / 3 + 1)}, {}, counts);
        REQUIRE(result.result == ns_success);
        for (const PlannedColl& coll : result.plan.colls) {
          size_t at = 0;
          for (int c = coll.channel_lo; c <= coll.channel_hi; ++c) {
            const auto& works =
                std::get<std::vector<CollWork>>(result.plan.batches[static_cast<size_t>(c)][0]);
            const auto work =
                std::ranges::find_if(works, [&](const CollWork& w) { return w.count == coll.task.count; });
            REQUIRE(work != works.end());
            CHECK(work->part.offset == at);
            CHECK(work->part.count > 0);
            at += work->part.count;
          }
          CHECK(at == coll.task.count);
        }
      }
    }
  }
}

TEST_CASE("send/recv of 16 MiB: two channels, 64 steps of 128 KiB") {
  std::vector<std::byte> memory;
  const Plan plan = plan_for(2, 0, costs_for(2), {}, to_peers(2, 16 << 20, memory));
  REQUIRE(plan.proxy_ops.size() == 4);
  CHECK(plan.proxy_ops[0].channel == 0);
  CHECK_FALSE(plan.proxy_ops[0].send);
  CHECK(plan.proxy_ops[1].send);
  CHECK(plan.proxy_ops[0].nsteps == 64);
  CHECK(plan.proxy_ops[0].nbytes == 131072);
  CHECK(plan.proxy_ops[0].op_count % 2 == 1);
  REQUIRE(plan.p2ps.size() == 4);
  CHECK(plan.p2ps[0].task.send);
  CHECK(plan.p2ps[0].channels == 2);
}

TEST_CASE("send/recv of 16 KiB: one channel and message; of 1 MiB in all to four ranks: half chunks") {
  std::vector<std::byte> memory;
  const Plan small = plan_for(4, 0, costs_for(4), {}, {{true, memory.data(), 16384, 1}});
  REQUIRE(small.proxy_ops.size() == 1);
  CHECK(small.proxy_ops[0].channel == 1);
  CHECK(small.proxy_ops[0].nsteps == 1);
  CHECK(small.proxy_ops[0].nbytes == 16384);
  const Plan all = plan_for(4, 0, costs_for(4), {}, to_peers(4, 262144, memory));
  CHECK(all.proxy_ops[0].nbytes == 65536);
  CHECK(all.proxy_ops[0].nsteps == 2);
}

TEST_CASE("send to self needs its receive; an empty send is one message") {
  OpCounts counts;
  std::byte value{};
  const CommShape shape = make_shape(2, 0);
  CHECK(make_plan(shape, {}, costs_for(2), {}, {}, {{true, &value, 1, 0}}, counts).result ==
        ns_invalid_usage);
  const PlanResult empty = make_plan(shape, {}, costs_for(2), {}, {}, {{true, &value, 0, 1}}, counts);
  REQUIRE(empty.plan.proxy_ops.size() == 1);
  CHECK(empty.plan.proxy_ops[0].nsteps == 1);
  CHECK(empty.plan.proxy_ops[0].nbytes == 0);
}

TEST_CASE("numbers of operations go on from plan to plan") {
  OpCounts counts;
  const CommShape shape = make_shape(2, 0);
  std::byte value{};
  for (uint64_t i = 0; i < 3; ++i) {
    const PlanResult result = make_plan(shape, {}, costs_for(2), {}, {task_for(Function::kAllReduce, 10)},
                                        {{true, &value, 1, 1}}, counts);
    CHECK(result.plan.proxy_ops.front().op_count == 2 * i);
    CHECK(result.plan.proxy_ops.back().op_count == 2 * (2 * i + 1) + 1);
  }
}

TEST_CASE("CollNet chain: 16 MiB as 32 steps of 256 KiB per channel") {
  const Plan plan =
      plan_for(2, 0, costs_for(2, "CollnetChain", "", true), {task_for(Function::kAllReduce, 4 << 20)});
  REQUIRE(plan.colls[0].algorithm == Algorithm::kCollNetChain);
  REQUIRE(plan.proxy_ops.size() == 2 * static_cast<size_t>(plan.colls[0].channels));
  CHECK(plan.proxy_ops[0].send);
  CHECK(plan.proxy_ops[0].connection_index == 1);
  CHECK(plan.proxy_ops[0].peer == 2);
  CHECK(plan.proxy_ops[1].connection_index == 0);
}

TEST_CASE("the tuner sees the question and decides") {
  OpCounts counts;
  TunerQuery asked;
  const TunerHook tuner = [&asked](const TunerQuery& query, CostTable& costs) {
    asked = query;
    costs[static_cast<size_t>(Algorithm::kTree)][static_cast<size_t>(Protocol::kSimple)] = 0;
    return 1;
  };
  const PlanResult result = make_plan(make_shape(4, 0), {}, costs_for(4), tuner,
                                      {task_for(Function::kAllReduce, 4 << 20)}, {}, counts);
  CHECK(asked.function == Function::kAllReduce);
  CHECK(asked.bytes == 16 << 20);
  CHECK(asked.pipe_ops == 1);
  CHECK(result.plan.colls[0].algorithm == Algorithm::kTree);
  CHECK(result.plan.colls[0].channels == 1);
}

TEST_CASE("nothing left to choose from is an error") {
  OpCounts counts;
  const PlanResult result = make_plan(make_shape(2, 0), {}, costs_for(2, "", "LL128"), {},
                                      {task_for(Function::kAllReduce, 4)}, {}, counts);
  CHECK(result.result == ns_invalid_usage);
  CHECK_FALSE(result.error.empty());
}
