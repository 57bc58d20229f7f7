// Collectives by real plans and device threads over memory: every function, type, reduction and protocol,
// against a reference on doubles and byte for byte between ranks; and the sizes of messages against recorded
// runs of NCCL.
#include <algorithm>
#include <numeric>

#include "tests/catch.h"
#include "tests/unit/engine/memory_world.h"
#include "tests/unit/engine/reference.h"

using namespace netsense::engine;

namespace {

struct Collective {
  Function function;
  ns_type type;
  ns_op op;
  size_t count;
  int root = 0;
  bool in_place = false;
};

size_t input_count(const Collective& c, int ranks) {
  return c.function == Function::kReduceScatter ? c.count * static_cast<size_t>(ranks) : c.count;
}
size_t output_count(const Collective& c, int ranks) {
  return c.function == Function::kAllGather ? c.count * static_cast<size_t>(ranks) : c.count;
}

double expected(const Collective& c, int ranks, int rank, size_t i) {
  switch (c.function) {
    case Function::kAllGather:
      return input_value(ns_sum, c.type, static_cast<int>(i / c.count), i % c.count);
    case Function::kBroadcast:
      return input_value(ns_sum, c.type, c.root, i);
    case Function::kReduceScatter:
      return reduced(c.op, c.type, ranks, i + static_cast<size_t>(rank) * c.count);
    default:
      return reduced(c.op, c.type, ranks, i);
  }
}

// One rank's buffers; the output of in-place operations lies in the input or the other way round, as nccl.h
// says.
struct RankBuffers {
  RankBuffers(const Collective& c, int ranks, int rank)
      : input(c.type, input_count(c, ranks)), output(c.type, output_count(c, ranks)) {
    const auto r = static_cast<size_t>(rank);
    const size_t place = c.in_place && c.function == Function::kAllGather ? r * c.count : 0;
    TypedBuffer& in = c.in_place && c.function != Function::kReduceScatter ? output : input;
    const bool moves = c.function == Function::kAllGather || c.function == Function::kBroadcast;
    for (size_t i = 0; i < input_count(c, ranks); ++i) {
      in.set(place + i, input_value(moves ? ns_sum : c.op, c.type, rank, i));
    }
    task.send = in.at(place);
    task.recv = c.in_place && c.function == Function::kReduceScatter ? input.at(r * c.count) : output.data();
    task.function = c.function;
    task.count = c.count;
    task.type = c.type;
    task.op = c.op;
    task.root = c.root;
    result_at = c.in_place && c.function == Function::kReduceScatter ? r * c.count : 0;
    result = c.in_place && c.function == Function::kReduceScatter ? &input : &output;
  }

  TypedBuffer input;
  TypedBuffer output;
  CollTask task;
  TypedBuffer* result = nullptr;
  size_t result_at = 0;
};

void check(MemoryWorld& world, int ranks, const Collective& c) {
  CAPTURE(ranks, static_cast<int>(c.function), c.type, c.op, c.count, c.root, c.in_place);
  std::vector<std::unique_ptr<RankBuffers>> buffers;
  std::vector<MemoryWorld::Tasks> tasks(static_cast<size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    buffers.push_back(std::make_unique<RankBuffers>(c, ranks, rank));
    tasks[static_cast<size_t>(rank)].colls.push_back(buffers.back()->task);
  }
  world.run(tasks);
  for (int rank = 0; rank < ranks; ++rank) {
    if (c.function == Function::kReduce && rank != c.root) continue;
    const RankBuffers& mine = *buffers[static_cast<size_t>(rank)];
    size_t wrong = 0;
    for (size_t i = 0; i < output_count(c, ranks); ++i) {
      const double got = mine.result->get(mine.result_at + i);
      const double want = expected(c, ranks, rank, i);
      const bool close = ranks == 3 && c.op == ns_avg && got == Approx(want).epsilon(0.3).margin(0.2);
      if (got != want && !close) ++wrong;
    }
    CHECK(wrong == 0);
    if (c.function == Function::kAllReduce) CHECK(mine.output.bytes() == buffers[0]->output.bytes());
  }
}

WorldOptions with(std::string algo, std::string proto) {
  WorldOptions options;
  options.algo = std::move(algo);
  options.proto = std::move(proto);
  return options;
}

constexpr Function kFunctions[] = {Function::kBroadcast, Function::kReduce, Function::kAllGather,
                                   Function::kReduceScatter, Function::kAllReduce};

std::vector<size_t> repeated(size_t times, const std::vector<size_t>& sizes) {
  std::vector<size_t> all;
  for (size_t i = 0; i < times; ++i) all.insert(all.end(), sizes.begin(), sizes.end());
  return all;
}

}  // namespace

TEST_CASE("every function, type and reduction") {
  const int ranks = GENERATE(2, 3, 4);
  const std::string proto = GENERATE("Simple", "LL");
  MemoryWorld world(ranks, with("Ring", proto));
  for (const Function function : kFunctions) {
    for (int type = 0; type < ns_num_types; ++type) {
      for (int op = 0; op < ns_num_ops; ++op) {
        if (op != 0 && (function == Function::kBroadcast || function == Function::kAllGather)) continue;
        const int root = (type + op) % ranks;
        check(world, ranks,
              {function, static_cast<ns_type>(type), static_cast<ns_op>(op), 1237, root, op % 2 == 1});
      }
    }
  }
}

TEST_CASE("every size class, in place and not") {
  const int ranks = GENERATE(2, 4);
  const std::string proto = GENERATE("Simple", "LL");
  MemoryWorld world(ranks, with("Ring", proto));
  for (const Function function : kFunctions) {
    for (const size_t count : {1UL, 3UL, 127UL, 128UL, 4097UL, 65535UL, 300001UL}) {
      for (const bool in_place : {false, true})
        check(world, ranks, {function, ns_bfloat16, ns_sum, count, 1, in_place});
    }
  }
}

TEST_CASE("trees, with types and sizes") {
  const int ranks = GENERATE(2, 3, 4, 5);
  const std::string proto = GENERATE("Simple", "LL");
  MemoryWorld world(ranks, with("Tree", proto));
  for (const size_t count : {1UL, 1000UL, 70001UL, 600001UL}) {
    check(world, ranks, {Function::kAllReduce, ns_int32, ns_sum, count});
    check(world, ranks, {Function::kAllReduce, ns_int64, ns_avg, count, 0, true});
  }
  for (int type = 0; type < ns_num_types; ++type) {
    if (ranks != 4) continue;
    for (int op = 0; op < ns_num_ops; ++op) {
      check(world, ranks, {Function::kAllReduce, static_cast<ns_type>(type), static_cast<ns_op>(op), 2049});
    }
  }
}

TEST_CASE("CollNet chain") {
  const int ranks = GENERATE(2, 4);
  WorldOptions options = with("CollNetChain", "");
  options.collnet = true;
  MemoryWorld world(ranks, options);
  for (const size_t count : {1UL, 100000UL, 3000001UL}) {
    check(world, ranks, {Function::kAllReduce, ns_float32, ns_sum, count});
    check(world, ranks, {Function::kAllReduce, ns_int32, ns_avg, count, 0, true});
    check(world, ranks, {Function::kAllReduce, ns_float16, ns_avg, count});
  }
}

TEST_CASE("one rank copies") {
  MemoryWorld world(1);
  for (const Function function : kFunctions) check(world, 1, {function, ns_float32, ns_avg, 1000});
}

TEST_CASE("messages are as large as NCCL's") {
  SECTION("ring, Simple, 1 MiB") {
    MemoryWorld world(4, with("Ring", "Simple"));
    check(world, 4, {Function::kAllReduce, ns_float32, ns_sum, 262144});
    CHECK(world.messages(0, 0, 1) == repeated(12, {65536}));
    CHECK(world.messages(3, 1, 0) == repeated(12, {65536}));
  }
  SECTION("ring, Simple, 1 KiB: second slices are empty") {
    MemoryWorld world(4, with("Ring", "Simple"));
    check(world, 4, {Function::kAllReduce, ns_float32, ns_sum, 256});
    CHECK(world.messages(2, 0, 3) == repeated(6, {256, 0}));
    CHECK(world.messages(2, 1, 3).empty());
  }
  SECTION("ring, LL") {
    MemoryWorld world(4, with("Ring", "LL"));
    check(world, 4, {Function::kAllReduce, ns_float32, ns_sum, 256});
    CHECK(world.messages(0, 0, 1) == repeated(6, {512}));
    check(world, 4, {Function::kAllReduce, ns_float32, ns_sum, 65536});
    CHECK(world.messages(0, 1, 1) == repeated(6, {65536}));
  }
  SECTION("tree") {
    MemoryWorld world(4, with("Tree", "Simple"));
    check(world, 4, {Function::kAllReduce, ns_float32, ns_sum, 262144});
    CHECK(world.messages(2, 0, 0) == std::vector<size_t>{524288});
    CHECK(world.messages(1, 0, 2) == std::vector<size_t>{524288});
    CHECK(world.messages(1, 0, 3).empty());
  }
  SECTION("choice of NCCL, 1 KiB: tree with LL") {
    MemoryWorld world(4);
    check(world, 4, {Function::kAllReduce, ns_float32, ns_sum, 256});
    CHECK(world.messages(0, 0, 2) == std::vector<size_t>{2048});
  }
  SECTION("broadcast, 16 MiB") {
    MemoryWorld world(2);
    check(world, 2, {Function::kBroadcast, ns_float32, ns_sum, 4 << 20});
    CHECK(world.messages(0, 0, 1) == repeated(16, {524288}));
    CHECK(world.messages(1, 0, 0).empty());
  }
}

TEST_CASE("random floats: sums as close as the type allows, the same on every rank") {
  MemoryWorld world(4, with("Ring", "Simple"));
  const ns_type type = GENERATE(ns_float32, ns_float16, ns_bfloat16);
  const double unit = type == ns_float32 ? 0x1p-23 : type == ns_float16 ? 0x1p-10 : 0x1p-7;
  constexpr size_t kCount = 50000;
  std::vector<TypedBuffer> inputs;
  std::vector<TypedBuffer> outputs;
  for (unsigned rank = 0; rank < 4; ++rank) {
    inputs.emplace_back(type, kCount);
    outputs.emplace_back(type, kCount);
    for (size_t i = 0; i < kCount; ++i)
      inputs[rank].set(i, static_cast<double>((i * 7919 + rank * 104729) % 2003) / 1001 - 1);
  }
  std::vector<MemoryWorld::Tasks> tasks(4);
  for (size_t rank = 0; rank < 4; ++rank) {
    CollTask task;
    task.send = inputs[rank].data();
    task.recv = outputs[rank].data();
    task.count = kCount;
    task.type = type;
    tasks[rank].colls.push_back(task);
  }
  world.run(tasks);
  double worst = 0;
  for (size_t i = 0; i < kCount; ++i) {
    double sum = 0;
    double size = 0;
    for (const TypedBuffer& input : inputs) {
      sum += input.get(i);
      size += std::abs(input.get(i));
    }
    worst = std::max(worst, std::abs(outputs[0].get(i) - sum) / std::max(size, 1.0));
  }
  CHECK(worst < 2 * unit);
  for (const TypedBuffer& output : outputs) CHECK(output.bytes() == outputs[0].bytes());
}

TEST_CASE("several operations in one group and one after the other") {
  constexpr int kRanks = 4;
  MemoryWorld world(kRanks, with("", "Simple"));
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::vector<std::unique_ptr<RankBuffers>> buffers;
    const Collective reduce{Function::kAllReduce, ns_float32, ns_sum, 262144};
    const Collective gather{Function::kAllGather, ns_float32, ns_sum, 65536};
    std::vector<MemoryWorld::Tasks> tasks(kRanks);
    for (int rank = 0; rank < kRanks; ++rank) {
      for (const Collective& c : {reduce, gather}) {
        buffers.push_back(std::make_unique<RankBuffers>(c, kRanks, rank));
        tasks[static_cast<size_t>(rank)].colls.push_back(buffers.back()->task);
      }
    }
    world.run(tasks);
    for (size_t rank = 0; rank < kRanks; ++rank) {
      for (size_t i = 0; i < 262144; i += 511) {
        REQUIRE(buffers[2 * rank]->output.get(i) == reduced(ns_sum, ns_float32, kRanks, i));
        REQUIRE(buffers[2 * rank + 1]->output.get(i) == expected(gather, kRanks, 0, i));
      }
    }
  }
}

TEST_CASE("giving up ends what waits for others") {
  MemoryWorld world(2, with("Ring", "Simple"));
  std::string error;
  RankBuffers mine({Function::kAllReduce, ns_float32, ns_sum, 1000}, 2, 0);
  Device& device = world.device(0);
  const uint64_t ticket = device.launch(world.plan(0, {{mine.task}, {}}, error));
  CHECK_FALSE(device.finished(ticket));
  device.abort();
  device.wait(ticket);
  CHECK(device.aborted());
}
