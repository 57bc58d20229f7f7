// Which buffers of a connection count as LL and LL128: by their sizes, and by the order in which NCCL
// registers them.
#include "plugin/transport/region.h"

#include <initializer_list>
#include <vector>

#include "tests/catch.h"

namespace netsense::transport {
namespace {

constexpr size_t kLl = 524288;
constexpr size_t kLl128 = 4915200;
constexpr size_t kSimple = 4194304;

// A connection's buffers of these sizes, as they stand at the first transfer.
struct Scene {
  Scene(std::initializer_list<size_t> sizes) {
    for (const size_t bytes : sizes) add(bytes);
    table.settle();
  }
  void add(size_t bytes) {
    Region* region = nullptr;
    REQUIRE(table.add(&byte, bytes, MemoryType::kHost, &region) == Status::kOk);
    regions.push_back(region);
  }
  [[nodiscard]] bool low_latency(size_t index) const {
    return regions[index]->kind() == BufferKind::kLowLatency;
  }

  char byte = 0;
  RegionTable table;
  std::vector<Region*> regions;
};

}  // namespace

TEST_CASE("the three buffers of a connection are told apart") {
  const Scene scene{kLl, kLl128, kSimple};
  CHECK(scene.low_latency(0));
  CHECK(scene.low_latency(1));
  CHECK_FALSE(scene.low_latency(2));
  CHECK(scene.regions[2]->surely_simple());
}

TEST_CASE("the buffers of a send/recv connection are LL and Simple") {
  const Scene scene{kLl, 16 * kSimple};
  CHECK(scene.low_latency(0));
  CHECK_FALSE(scene.low_latency(1));
}

TEST_CASE("with sizes that this NCCL does not have, the order tells") {
  const Scene scene{2 * kLl, 2 * kLl128, 4 * kSimple};
  CHECK(scene.low_latency(0));
  CHECK(scene.low_latency(1));
  CHECK_FALSE(scene.low_latency(2));
  const Scene pair{2 * kLl, kSimple};
  CHECK(pair.low_latency(0));
  CHECK_FALSE(pair.low_latency(1));
}

TEST_CASE("memory that is registered later is told by its size alone") {
  Scene scene{kLl, kLl128, kSimple};
  scene.add(1000);
  scene.add(kLl);
  CHECK_FALSE(scene.low_latency(3));
  CHECK_FALSE(scene.regions[3]->surely_simple());
  CHECK(scene.low_latency(4));
}

TEST_CASE("what does not look like NCCL's order is told by its size alone") {
  const Scene alone{kSimple};
  CHECK_FALSE(alone.low_latency(0));
  const Scene equal{kSimple, kSimple, kSimple};
  CHECK_FALSE(equal.low_latency(0));
  CHECK_FALSE(equal.low_latency(1));
  // A Simple buffer that has been given the size of another is treated with the other's care.
  const Scene odd{kLl, kLl128, kLl128};
  CHECK(odd.low_latency(2));
  CHECK_FALSE(odd.regions[2]->surely_simple());
}

}  // namespace netsense::transport
