// The exported CollNet tables, every version: exact collectives give what a plain computation in the order of
// the ranks gives, byte for byte on all ranks, for every type, operation, size and number of ranks.
#include <cmath>
#include <cstring>
#include <type_traits>

#include "tests/abi/environment.h"
#include "tests/catch.h"
#include "tests/collnet/coll_world.h"

namespace netsense::testing {
namespace {

constexpr int kNewest = 12;
constexpr int kF32 = 7;
constexpr int kSum = 0;

template <typename T>
std::vector<T> input_of(int rank, size_t count, uint32_t seed = 1) {
  std::vector<T> values(count);
  uint32_t state = seed * 2654435761U + static_cast<uint32_t>(rank) * 40503U + 1;
  for (T& value : values) {
    state = state * 1664525U + 1013904223U;
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(static_cast<int32_t>(state)) / static_cast<T>(1 << 20);
    } else {
      value = static_cast<T>(state >> 7);
    }
  }
  return values;
}

template <typename T>
T combine(int op, T a, T b) {
  using Wide = std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>;
  switch (op) {
    case 0:
      return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
    case 1:
      return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
    case 2:
      return a > b ? a : b;
    default:
      return a < b ? a : b;
  }
}

template <typename T>
std::vector<T> expected_of(int ranks, size_t count, int op, uint32_t seed = 1) {
  std::vector<T> result = input_of<T>(0, count, seed);
  for (int rank = 1; rank < ranks; ++rank) {
    const std::vector<T> other = input_of<T>(rank, count, seed);
    for (size_t i = 0; i < count; ++i) result[i] = combine(op, result[i], other[i]);
  }
  return result;
}

// Exceptions of Catch2's assertions may not leave the ranks' threads, so differences are thrown.
template <typename T>
void require_equal(const std::vector<T>& got, const std::vector<T>& wanted, const std::string& what) {
  if (!wanted.empty() && std::memcmp(got.data(), wanted.data(), wanted.size() * sizeof(T)) != 0)
    throw std::runtime_error(what + ": not the expected bytes");
}

template <typename T>
void check_all_reduce(CollRank& rank, size_t count, int type, int op, bool in_place) {
  std::vector<T> send = input_of<T>(rank.rank(), count);
  std::vector<T> recv(count);
  const CollCall call{send.data(), in_place ? send.data() : recv.data(), count, type, op};
  const int size = rank.all_reduce(call);
  if (size != static_cast<int>(count * sizeof(T))) throw std::runtime_error("test reports another size");
  require_equal(in_place ? send : recv, expected_of<T>(rank.ranks(), count, op),
                "all-reduce of " + std::to_string(count));
}

}  // namespace

TEST_CASE("every version reduces, gathers and scatters") {
  const int version = GENERATE(6, 7, 8, 9, 10, 11, 12);
  CAPTURE(version);
  CollWorld world(library_path(), version, 3);
  world.run([&](CollRank& rank) {
    check_all_reduce<float>(rank, 100003, kF32, kSum, false);
    if (version < 8) return;
    constexpr size_t kPerRank = 50021;
    const std::vector<float> whole = expected_of<float>(rank.ranks(), 3 * kPerRank, kSum);
    const auto own = static_cast<size_t>(rank.rank()) * kPerRank;
    std::vector<float> send = input_of<float>(rank.rank(), 3 * kPerRank);
    std::vector<float> part(kPerRank);
    const CollWindow all{kPerRank * 4, 0, 3 * kPerRank * 4};
    rank.wait(rank.post([&](void** request) {
      return rank.api().ireducescatter(rank.comm(), {send.data(), part.data(), 0, kF32, kSum}, all, request);
    }));
    require_equal(
        part,
        {whole.begin() + static_cast<ptrdiff_t>(own), whole.begin() + static_cast<ptrdiff_t>(own + kPerRank)},
        "reduce-scatter");
    std::vector<float> gathered(3 * kPerRank);
    rank.wait(rank.post([&](void** request) {
      return rank.api().iallgather(rank.comm(), part.data(), gathered.data(), all, request);
    }));
    require_equal(gathered, whole, "all-gather");
  });
}

TEST_CASE("windows of reduce-scatter and all-gather need not end where a rank's part does") {
  CollWorld world(library_path(), kNewest, 4);
  world.run([](CollRank& rank) {
    constexpr size_t kPerRank = 1000;
    constexpr size_t kStep = 700;  // bytes: windows begin and end anywhere
    const size_t total = kPerRank * 4;
    const std::vector<uint8_t> whole = expected_of<uint8_t>(4, total, kSum);
    const std::vector<uint8_t> send = input_of<uint8_t>(rank.rank(), total);
    std::vector<uint8_t> part(kPerRank);
    std::vector<uint8_t> gathered(total);
    const size_t begin = static_cast<size_t>(rank.rank()) * kPerRank;
    for (size_t offset = 0; offset < total; offset += kStep) {
      const CollWindow window{kPerRank, offset, std::min(kStep, total - offset)};
      const size_t from = std::clamp(offset, begin, begin + kPerRank) - begin;
      rank.wait(rank.post([&](void** request) {
        return rank.api().ireducescatter(
            rank.comm(), {const_cast<uint8_t*>(send.data()) + offset, part.data() + from, 0, 1, kSum}, window,
            request);
      }));
      rank.wait(rank.post([&](void** request) {
        return rank.api().iallgather(rank.comm(), part.data() + from, gathered.data() + offset, window,
                                     request);
      }));
    }
    require_equal(gathered, whole, "gathered windows");
  });
}

TEST_CASE("integers and doubles: every operation, any number of ranks, in place too") {
  const int ranks = GENERATE(1, 2, 3, 5, 8);
  CAPTURE(ranks);
  CollWorld world(library_path(), kNewest, ranks);
  world.run([](CollRank& rank) {
    for (int op = 0; op < 4; ++op) {
      for (const bool in_place : {false, true}) {
        check_all_reduce<int8_t>(rank, 70001, 0, op, in_place);
        check_all_reduce<uint8_t>(rank, 4097, 1, op, in_place);
        check_all_reduce<int32_t>(rank, 1025, 2, op, in_place);
        check_all_reduce<uint32_t>(rank, 33000, 3, op, in_place);
        check_all_reduce<int64_t>(rank, 17, 4, op, in_place);
        check_all_reduce<uint64_t>(rank, 20001, 5, op, in_place);
        check_all_reduce<double>(rank, 40001, 8, op, in_place);
        check_all_reduce<float>(rank, 65537, kF32, op, in_place);
      }
    }
  });
}

TEST_CASE("sizes around every limit") {
  const int ranks = GENERATE(2, 4);
  CAPTURE(ranks);
  CollWorld world(library_path(), kNewest, ranks);
  world.run([](CollRank& rank) {
    for (const size_t count : {0, 1, 2, 3, 255, 256, 257, 1023, 2047, 2048, 2049, 4096, 32767, 32768, 32769,
                               131072, 131073, 1 << 20}) {
      check_all_reduce<float>(rank, count, kF32, kSum, count % 2 == 1);
    }
  });
}

TEST_CASE("small floats are summed in f32 and rounded once") {
  CollWorld world(library_path(), kNewest, 3);
  world.run([](CollRank& rank) {
    // 256 + 0.75 + 0.75 in bf16, whose numbers near 256 are 2 apart: one rounding gives 258, two give 256.
    const std::vector<uint16_t> inputs{0x4380, 0x3f40, 0x3f40};
    std::vector<uint16_t> send(5000, inputs[static_cast<size_t>(rank.rank())]);
    std::vector<uint16_t> recv(send.size());
    rank.all_reduce({send.data(), recv.data(), send.size(), 9, kSum});
    require_equal(recv, std::vector<uint16_t>(send.size(), 0x4381), "bf16");
    // f16: 2048 + 1.5 + 1.5, numbers near 2048 are 2 apart.
    const std::vector<uint16_t> halves{0x6800, 0x3e00, 0x3e00};
    send.assign(send.size(), halves[static_cast<size_t>(rank.rank())]);
    rank.all_reduce({send.data(), recv.data(), send.size(), 6, kSum});
    require_equal(recv, std::vector<uint16_t>(send.size(), 0x6802), "f16");
    // 8-bit floats: 1 + 1 + 1 = 3, and what is too large becomes the largest number.
    for (const auto& [type, one, three, large, largest] :
         {std::array<int, 5>{10, 0x38, 0x44, 0x7e, 0x7e}, std::array<int, 5>{11, 0x3c, 0x42, 0x7b, 0x7b}}) {
      std::vector<uint8_t> bytes(5000, static_cast<uint8_t>(one));
      std::vector<uint8_t> sums(bytes.size());
      rank.all_reduce({bytes.data(), sums.data(), bytes.size(), type, kSum});
      require_equal(sums, std::vector<uint8_t>(bytes.size(), static_cast<uint8_t>(three)), "8-bit");
      bytes.assign(bytes.size(), static_cast<uint8_t>(large));
      rank.all_reduce({bytes.data(), sums.data(), bytes.size(), type, kSum});
      require_equal(sums, std::vector<uint8_t>(bytes.size(), static_cast<uint8_t>(largest)), "8-bit, large");
    }
  });
}

TEST_CASE("what is not a number or infinite stays so in every float type") {
  CollWorld world(library_path(), kNewest, 3);
  world.run([](CollRank& rank) {
    std::vector<float> send(3000, 1.0F);
    if (rank.rank() == 1) send[7] = NAN;
    if (rank.rank() == 2) send[2999] = -INFINITY;
    std::vector<float> recv(send.size());
    rank.all_reduce({send.data(), recv.data(), send.size(), kF32, kSum});
    if (!std::isnan(recv[7]) || recv[2999] != -INFINITY || recv[0] != 3.0F)
      throw std::runtime_error("a special value got lost");
  });
}

TEST_CASE("many calls under way end in any order they are asked for") {
  CollWorld world(library_path(), kNewest, 3);
  world.run([](CollRank& rank) {
    constexpr size_t kCalls = 40;
    std::vector<std::vector<float>> sends;
    std::vector<std::vector<float>> recvs;
    std::vector<void*> requests;
    for (size_t i = 0; i < kCalls; ++i) {
      const size_t count = (i * 7919) % 20000;
      sends.push_back(input_of<float>(rank.rank(), count, static_cast<uint32_t>(i)));
      recvs.emplace_back(count);
      requests.push_back(rank.post_all_reduce({sends[i].data(), recvs[i].data(), count, kF32, kSum}));
    }
    for (size_t i = kCalls; i-- > 0;) {
      rank.wait(requests[i]);
      require_equal(recvs[i], expected_of<float>(3, recvs[i].size(), kSum, static_cast<uint32_t>(i)),
                    "call " + std::to_string(i));
    }
  });
}

TEST_CASE("when too many calls are under way a post gives no request, and later it does") {
  CollWorld world(library_path(), kNewest, 2);
  world.run([](CollRank& rank) {
    std::vector<float> send(16, 1.0F);
    std::vector<std::vector<float>> recvs(200, std::vector<float>(16));
    std::vector<void*> requests;
    size_t tested = 0;
    for (auto& recv : recvs) {
      void* request = nullptr;
      while (request == nullptr) {
        check(static_cast<ns_result>(rank.api().iallreduce(
                  rank.comm(), {send.data(), recv.data(), send.size(), kF32, kSum}, &request)),
              "iallreduce");
        if (request == nullptr) {
          if (requests.size() - tested < 32) throw std::runtime_error("full with fewer than 32 calls");
          rank.wait(requests[tested++]);
        }
      }
      requests.push_back(request);
    }
    if (tested == 0) throw std::runtime_error("200 calls were never too many");
    while (tested < requests.size()) rank.wait(requests[tested++]);
    for (const auto& recv : recvs) require_equal(recv, std::vector<float>(16, 2.0F), "a sum");
  });
}

TEST_CASE("every type and operation of NCCL is supported, on every rank alike") {
  CollWorld world(library_path(), kNewest, 2);
  int supported = 0;
  for (int type = 0; type < 12; ++type) {
    for (int op = 0; op < 4; ++op) {
      REQUIRE(world.api().reduce_support(type, op, &supported) == 0);
      CHECK(supported == 1);
    }
  }
  REQUIRE(world.api().reduce_support(12, 0, &supported) == 0);
  CHECK(supported == 0);
  REQUIRE(world.api().reduce_support(kF32, 4, &supported) == 0);
  CHECK(supported == 0);
}

}  // namespace netsense::testing
