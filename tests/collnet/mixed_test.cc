// Collectives of every kind, type and size in one stream, posted by ranks that come late and asked for in
// any order, and several communicators at once: all ranks get the same bytes, and exact ones the right ones.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "tests/abi/environment.h"
#include "tests/catch.h"
#include "tests/collnet/coll_world.h"

namespace netsense::testing {
namespace {

constexpr int kNewest = 12;
constexpr size_t kCalls = 120;
constexpr size_t kLeftBehind = 60;  // calls; the plugin holds 64
constexpr std::array<size_t, 12> kBytes{1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
constexpr int kInt32 = 2;
constexpr int kF32 = 7;

enum class What : uint8_t { kAllReduce, kReduceScatter, kAllGather };

// What is equal on all ranks.
struct Planned {
  What what = What::kAllReduce;
  int type = 0;
  int op = 0;
  bool in_place = false;
  size_t per_rank = 0;  // elements; of an all-reduce: all
  [[nodiscard]] size_t bytes() const { return per_rank * kBytes[static_cast<size_t>(type)]; }
};

std::vector<Planned> plan(unsigned seed, int ranks) {
  std::mt19937 random(seed);
  std::vector<Planned> calls(kCalls);
  for (Planned& call : calls) {
    call.what = random() % 4 < 2    ? What::kAllReduce
                : random() % 2 == 0 ? What::kReduceScatter
                                    : What::kAllGather;
    // Every second one can be checked: integers wrap around, whatever the order.
    call.type = random() % 2 == 0 ? kInt32 : static_cast<int>(random() % 12);
    call.op = static_cast<int>(random() % 8);
    if (call.op > 3) call.op = 0;
    call.in_place = random() % 2 == 0;
    const unsigned most = random() % 10 == 0 ? 18 : 13;  // log2
    call.per_rank = random() % (size_t{1} << random() % most);
    if (call.what == What::kAllReduce) call.per_rank *= static_cast<size_t>(ranks);
  }
  return calls;
}

uint32_t word(unsigned seed, size_t call, int rank, size_t index) {
  uint32_t x = seed * 2654435761U ^ static_cast<uint32_t>(call) * 40503U ^ static_cast<uint32_t>(rank) << 20;
  x = (x ^ static_cast<uint32_t>(index)) * 0x9e3779b1U;
  return x ^ x >> 15;
}

// Any bytes: also numbers that are none, infinite or subnormal.
std::vector<std::byte> input(unsigned seed, size_t call, int rank, size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (size_t i = 0; i < bytes; i += 4) {
    const uint32_t value = word(seed, call, rank, i / 4);
    std::memcpy(&data[i], &value, std::min<size_t>(4, bytes - i));
  }
  return data;
}

int32_t expected(const Planned& planned, unsigned seed, size_t call, int ranks, size_t index) {
  auto sum = static_cast<int32_t>(word(seed, call, 0, index));
  for (int rank = 1; rank < ranks; ++rank) {
    const auto value = static_cast<int32_t>(word(seed, call, rank, index));
    switch (planned.op) {
      case 0:
        sum = static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(value));
        break;
      case 1:
        sum = static_cast<int32_t>(static_cast<uint32_t>(sum) * static_cast<uint32_t>(value));
        break;
      case 2:
        sum = std::max(sum, value);
        break;
      default:
        sum = std::min(sum, value);
    }
  }
  return sum;
}

struct Running {
  size_t call = 0;
  void* request = nullptr;
  std::vector<std::byte> send;
  std::vector<std::byte> recv;
  std::byte* result = nullptr;
};

using Results = std::vector<std::vector<std::vector<std::byte>>>;  // by rank, by call

Running start(CollRank& rank, const Planned& planned, unsigned seed, size_t call) {
  const auto ranks = static_cast<size_t>(rank.ranks());
  const auto own = static_cast<size_t>(rank.rank());
  Running running{.call = call, .request = nullptr, .send = {}, .recv = {}, .result = nullptr};
  const size_t part = planned.bytes();
  const CollWindow window{part, 0, part * ranks};
  const auto post = [&](auto&& what) { running.request = rank.post(what); };
  if (planned.what == What::kAllGather) {
    running.recv.resize(part * ranks);
    running.send = input(seed, call, rank.rank(), part);
    running.result = running.recv.data();
    std::byte* from = running.send.data();
    if (planned.in_place && part > 0) {
      from = running.recv.data() + own * part;
      std::memcpy(from, running.send.data(), part);
    }
    post([&](void** request) {
      return rank.api().iallgather(rank.comm(), from, running.result, window, request);
    });
    return running;
  }
  const bool whole = planned.what == What::kAllReduce;
  const size_t result = part;
  running.send = input(seed, call, rank.rank(), whole ? part : part * ranks);
  running.recv.resize(result);
  running.result = !planned.in_place ? running.recv.data() : running.send.data() + (whole ? 0 : own * part);
  const CollCall args{running.send.data(), running.result, planned.per_rank, planned.type, planned.op};
  post([&](void** request) {
    return whole ? rank.api().iallreduce(rank.comm(), args, request)
                 : rank.api().ireducescatter(rank.comm(), args, window, request);
  });
  return running;
}

void finish(CollRank& rank, const Planned& planned, unsigned seed, Running& running, Results& results) {
  rank.wait(running.request);
  const auto ranks = static_cast<size_t>(rank.ranks());
  const size_t bytes = planned.bytes() * (planned.what == What::kAllGather ? ranks : 1);
  std::vector<std::byte> result(running.result, running.result + bytes);
  if (planned.what == What::kAllGather) {
    for (size_t owner = 0; owner < ranks; ++owner) {
      const auto part = input(seed, running.call, static_cast<int>(owner), planned.bytes());
      if (!std::equal(part.begin(), part.end(), result.begin() + static_cast<ptrdiff_t>(owner * part.size())))
        throw std::runtime_error("gathered bytes are not those of their rank");
    }
  } else if (planned.type == kInt32) {
    const size_t from =
        planned.what == What::kAllReduce ? 0 : static_cast<size_t>(rank.rank()) * planned.per_rank;
    for (size_t i = 0; i < planned.per_rank; ++i) {
      int32_t value = 0;
      std::memcpy(&value, &result[4 * i], 4);
      if (value != expected(planned, seed, running.call, rank.ranks(), from + i))
        throw std::runtime_error("a sum of integers is wrong in call " + std::to_string(running.call));
    }
  }
  if (planned.what != What::kReduceScatter) {
    results[static_cast<size_t>(rank.rank())][running.call] = std::move(result);
  }
}

void mix(unsigned seed, int ranks) {
  const std::vector<Planned> calls = plan(seed, ranks);
  CollWorld world(library_path(), kNewest, ranks);
  Results results(static_cast<size_t>(ranks), std::vector<std::vector<std::byte>>(kCalls));
  world.run([&](CollRank& rank) {
    std::mt19937 random(seed * 100 + static_cast<unsigned>(rank.rank()));
    std::vector<Running> running;
    for (size_t call = 0; call < kCalls || !running.empty();) {
      if (random() % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(random() % 20));
      const bool has_place =
          std::ranges::all_of(running, [&](const Running& other) { return other.call + kLeftBehind > call; });
      if (call < kCalls && has_place && running.size() < 1 + random() % 32) {
        running.push_back(start(rank, calls[call], seed, call));
        ++call;
      } else if (!running.empty()) {
        // In any order, but none is left so long that there is no place for another.
        const auto oldest = std::ranges::min_element(running, {}, &Running::call);
        const bool late = oldest->call + kLeftBehind <= call;
        std::swap(late ? *oldest : running[random() % running.size()], running.back());
        finish(rank, calls[running.back().call], seed, running.back(), results);
        running.pop_back();
      }
    }
  });
  for (const auto& of_rank : results) {
    for (size_t call = 0; call < kCalls; ++call) {
      if (of_rank[call] != results[0][call])
        throw std::runtime_error("ranks differ in call " + std::to_string(call));
    }
  }
}

}  // namespace

TEST_CASE("a stream of different collectives by ranks that come late") {
  const int ranks = GENERATE(1, 2, 3, 5, 16);
  CAPTURE(ranks);
  for (unsigned seed = 1; seed <= 3; ++seed) CHECK_NOTHROW(mix(seed, ranks));
}

TEST_CASE("several communicators at once") {
  std::vector<std::thread> threads;
  std::array<std::string, 4> failed;
  for (unsigned i = 0; i < failed.size(); ++i) {
    threads.emplace_back([i, &failed] {
      try {
        mix(100 + i, 2 + static_cast<int>(i) % 3);
      } catch (const std::exception& error) {
        failed[i] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : failed) CHECK(error.empty());
}

TEST_CASE("what is no number in one call is not in the next") {
  CollWorld world(library_path(), kNewest, 3);
  world.run([](CollRank& rank) {
    std::vector<float> send(5000, 1.0F);
    std::vector<float> recv(send.size());
    send[4000] = rank.rank() == 1 ? NAN : std::numeric_limits<float>::infinity();
    rank.all_reduce({send.data(), recv.data(), send.size(), kF32, 0});
    if (!std::isnan(recv[4000]) || !std::isfinite(recv[0])) throw std::runtime_error("lost");
    send[4000] = 1;
    rank.all_reduce({send.data(), recv.data(), send.size(), kF32, 0});
    if (!std::isfinite(recv[4000])) throw std::runtime_error("kept");
  });
}

}  // namespace netsense::testing
