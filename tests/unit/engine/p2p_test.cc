// Sends and receives by real plans and device threads over memory.
#include <cstring>

#include "tests/catch.h"
#include "tests/unit/engine/memory_world.h"

using namespace netsense::engine;

namespace {

std::byte pattern(int from, int to, size_t i) {
  return static_cast<std::byte>(static_cast<size_t>(from * 31 + to * 7) + i * 13 + (i >> 8));
}

// Every rank sends to every rank, itself included.
void check_all_to_all(MemoryWorld& world, int ranks, size_t bytes) {
  CAPTURE(ranks, bytes);
  const auto n = static_cast<size_t>(ranks);
  std::vector<std::vector<std::byte>> sent(n, std::vector<std::byte>(n * bytes + 1));
  std::vector<std::vector<std::byte>> received(n, std::vector<std::byte>(n * bytes + 1));
  std::vector<MemoryWorld::Tasks> tasks(n);
  for (size_t rank = 0; rank < n; ++rank) {
    for (size_t peer = 0; peer < n; ++peer) {
      for (size_t i = 0; i < bytes; ++i) {
        sent[rank][peer * bytes + i] = pattern(static_cast<int>(rank), static_cast<int>(peer), i);
      }
      tasks[rank].p2ps.push_back({true, sent[rank].data() + peer * bytes, bytes, static_cast<int>(peer)});
      tasks[rank].p2ps.push_back(
          {false, received[rank].data() + peer * bytes, bytes, static_cast<int>(peer), Function::kRecv});
    }
  }
  world.run(tasks);
  for (size_t rank = 0; rank < n; ++rank) {
    size_t wrong = 0;
    for (size_t peer = 0; peer < n; ++peer) {
      for (size_t i = 0; i < bytes; ++i) {
        if (received[rank][peer * bytes + i] != pattern(static_cast<int>(peer), static_cast<int>(rank), i))
          ++wrong;
      }
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("all to all, every size class") {
  const int ranks = GENERATE(2, 3, 4, 9);
  const bool low_latency = GENERATE(false, true);
  WorldOptions options;
  options.settings.p2p_ll_buffers = low_latency;
  MemoryWorld world(ranks, options);
  for (const size_t bytes : {0UL, 1UL, 4095UL, 16384UL, 65537UL, 131072UL, 500001UL}) {
    check_all_to_all(world, ranks, bytes);
  }
}

TEST_CASE("send/recv messages are as large as NCCL's") {
  MemoryWorld world(4);
  check_all_to_all(world, 4, 1 << 20);
  CHECK(world.messages(0, 0, 1) == std::vector<size_t>(4, 131072));
  CHECK(world.messages(0, 1, 3) == std::vector<size_t>(4, 131072));
  check_all_to_all(world, 4, 262144);
  CHECK(world.messages(0, 0, 1) == std::vector<size_t>(2, 65536));
}

TEST_CASE("one direction only, and several messages to one peer in a group") {
  MemoryWorld world(2);
  std::vector<std::byte> source(3 * 100000, std::byte{7});
  for (size_t i = 0; i < source.size(); ++i) source[i] = pattern(1, 2, i);
  std::vector<std::byte> target(source.size());
  std::vector<MemoryWorld::Tasks> tasks(2);
  for (size_t part = 0; part < 3; ++part) {
    tasks[0].p2ps.push_back({true, source.data() + part * 100000, 100000, 1});
    tasks[1].p2ps.push_back({false, target.data() + part * 100000, 100000, 0, Function::kRecv});
  }
  world.run(tasks);
  CHECK(source == target);
}
