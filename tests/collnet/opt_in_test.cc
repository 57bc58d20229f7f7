// Only what the user has opted in is rounded: sums of floats in collectives of at least a size, after a
// warm-up. All else (metrics, overflow flags, statistics of batch norm) is exact, bit by bit.
#include <cstring>

#include "tests/abi/environment.h"
#include "tests/catch.h"
#include "tests/collnet/coll_world.h"
#include "tests/collnet/events.h"

namespace netsense::testing {
namespace {

constexpr int kVersion = 12;
constexpr int kRanks = 3;
constexpr int kF32 = 7;
constexpr int kF64 = 8;
constexpr int kMax = 2;
constexpr size_t kLeast = size_t{1} << 18;  // elements: 1 MiB, which the tests' setting names

// Values that two bits cannot hold.
std::vector<float> values(int rank, size_t count) {
  std::vector<float> made(count);
  for (size_t i = 0; i < count; ++i) made[i] = static_cast<float>(rank + 1) / static_cast<float>(i + 3);
  return made;
}

bool is_exact(const std::vector<float>& sum) {
  std::vector<float> expected = values(0, sum.size());
  for (int rank = 1; rank < kRanks; ++rank) {
    const std::vector<float> other = values(rank, sum.size());
    for (size_t i = 0; i < sum.size(); ++i) expected[i] += other[i];
  }
  return std::memcmp(sum.data(), expected.data(), sum.size() * sizeof(float)) == 0;
}

// Whether an all-reduce is exact, in calls of so many elements each.
bool all_reduce_is_exact(CollRank& rank, size_t count, size_t per_call) {
  std::vector<float> send = values(rank.rank(), count);
  std::vector<float> recv(count);
  for (size_t done = 0; done < count; done += per_call) {
    rank.all_reduce({&send[done], &recv[done], std::min(per_call, count - done), kF32, 0});
  }
  return is_exact(recv);
}

void require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
}

}  // namespace

TEST_CASE("the size of the whole collective decides, not that of NCCL's calls") {
  CollWorld world(library_path(), kVersion, kRanks);
  world.run([&](CollRank& rank) {
    Events events(world.library(), kRanks);
    constexpr size_t kPerCall = 65536;
    events.begin(&rank, kLeast, kLeast / kPerCall);
    require(!all_reduce_is_exact(rank, kLeast, kPerCall), "a large collective is not rounded");
    // One element less.
    events.begin(&rank, kLeast - 1, kLeast / kPerCall);
    require(all_reduce_is_exact(rank, kLeast - 1, kPerCall), "a small collective is rounded");
  });
}

TEST_CASE("where the collective is not known, small calls are exact") {
  CollWorld world(library_path(), kVersion, kRanks);
  world.run([](CollRank& rank) {
    require(all_reduce_is_exact(rank, 16383, 16383), "a small call is rounded");
    require(!all_reduce_is_exact(rank, 16384, 16384), "a part of a large collective is not rounded");
  });
}

TEST_CASE("other types and operations are exact, however large") {
  CollWorld world(library_path(), kVersion, kRanks);
  world.run([](CollRank& rank) {
    std::vector<double> doubles(kLeast, 1.0 / (rank.rank() + 3));
    rank.all_reduce({doubles.data(), doubles.data(), doubles.size(), kF64, 0});
    require(doubles[5] == 1.0 / 3 + 1.0 / 4 + 1.0 / 5, "doubles are rounded");
    std::vector<float> send = values(rank.rank(), kLeast);
    rank.all_reduce({send.data(), send.data(), send.size(), kF32, kMax});
    require(send == values(kRanks - 1, kLeast), "a maximum is rounded");
  });
}

TEST_CASE("a gathered part is exact") {
  CollWorld world(library_path(), kVersion, kRanks);
  world.run([](CollRank& rank) {
    const std::vector<float> own = values(rank.rank(), kLeast);
    std::vector<float> all(kLeast * kRanks);
    rank.wait(rank.post([&](void** request) {
      return rank.api().iallgather(rank.comm(), const_cast<float*>(own.data()), all.data(),
                                   {kLeast * 4, 0, kLeast * 4 * kRanks}, request);
    }));
    for (int part = 0; part < kRanks; ++part) {
      const auto begin = all.begin() + static_cast<ptrdiff_t>(static_cast<size_t>(part) * kLeast);
      require(std::equal(begin, begin + kLeast, values(part, kLeast).begin()), "gathered data are rounded");
    }
  });
}

// Run with a warm-up of 2 collectives.
TEST_CASE("the first collectives of a communicator are exact", "[.warmup]") {
  CollWorld world(library_path(), kVersion, kRanks);
  world.run([&](CollRank& rank) {
    Events events(world.library(), kRanks);
    for (int step = 0; step < 4; ++step) {
      events.begin(&rank, kLeast, 2);
      require(all_reduce_is_exact(rank, kLeast, kLeast / 2) == (step < 2), "the warm-up has another length");
    }
  });
}

// Run with an allowed error that two bits do not keep.
TEST_CASE("no block loses more than the user allows", "[.limited]") {
  CollWorld world(library_path(), kVersion, kRanks);
  world.run([&](CollRank& rank) {
    std::vector<float> send = values(rank.rank(), kLeast);
    std::vector<float> recv(kLeast);
    rank.all_reduce({send.data(), recv.data(), send.size(), kF32, 0});
    double error = 0;
    double energy = 0;
    for (size_t i = 0; i < kLeast; ++i) {
      const double truth = 6.0 / static_cast<double>(i + 3);
      error += (recv[i] - truth) * (recv[i] - truth);
      energy += truth * truth;
    }
    require(error > 0, "nothing is rounded");
    // Of every input and of the sum.
    require(error <= 4 * 0.001 * 0.001 * energy, "more is lost than allowed");
  });
}

}  // namespace netsense::testing
