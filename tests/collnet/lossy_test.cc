// Rounded collectives over the exported symbols: all ranks get the same bytes whatever the codec, runs
// repeat, errors stay in their bounds, and with the profiler's events what rounding loses comes in later
// calls. The codec is that of NETSENSE_LOSSY_CONTROLLER, which CTest sets.
#include <cmath>
#include <cstring>
#include <random>

#include "tests/abi/environment.h"
#include "tests/catch.h"
#include "tests/collnet/coll_world.h"
#include "tests/collnet/events.h"

namespace netsense::testing {
namespace {

constexpr int kVersion = 12;
constexpr int kF16 = 6;
constexpr int kF32 = 7;
constexpr int kBf16 = 9;
constexpr int kFedRanks = 4;

// As gradients are: most small, some large.
std::vector<float> gradients(int rank, size_t count, int step = 0) {
  std::mt19937 random(static_cast<unsigned>(rank * 1000 + step + 1));
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> values(count);
  for (float& value : values) {
    const float n = normal(random);
    value = n * n * n * 1e-3F;
  }
  return values;
}

std::vector<std::byte> as_type(int type, const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * (type == kF32 ? 4 : 2));
  for (size_t i = 0; i < values.size(); ++i) {
    if (type == kF32) {
      std::memcpy(&bytes[4 * i], &values[i], 4);
      continue;
    }
    uint32_t bits = 0;
    std::memcpy(&bits, &values[i], 4);
    const uint16_t half = type == kBf16
                              ? static_cast<uint16_t>(bits >> 16)
                              : static_cast<uint16_t>((bits >> 16 & 0x8000) | (0x2000 + i % 0x1800));
    std::memcpy(&bytes[2 * i], &half, 2);
  }
  return bytes;
}

using Outputs = std::vector<std::vector<std::byte>>;

// One all-reduce; gives what each rank got.
Outputs all_reduce(CollWorld& world, size_t count, int type,
                   const std::function<std::vector<float>(int)>& input, bool in_place = false) {
  Outputs outputs(static_cast<size_t>(world.ranks()));
  world.run([&](CollRank& rank) {
    std::vector<std::byte> send = as_type(type, input(rank.rank()));
    std::vector<std::byte> recv(send.size());
    std::byte* to = in_place ? send.data() : recv.data();
    rank.all_reduce({send.data(), to, count, type, 0});
    outputs[static_cast<size_t>(rank.rank())] = in_place ? send : recv;
  });
  return outputs;
}

bool all_equal(const Outputs& outputs) {
  for (const auto& output : outputs) {
    if (output != outputs.front()) return false;
  }
  return true;
}

std::vector<float> as_floats(const std::vector<std::byte>& bytes) {
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

double norm(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("all ranks get the same bytes: any number of ranks, type and size, mixed with exact collectives") {
  const int ranks = GENERATE(2, 3, 4, 5, 8);
  CAPTURE(ranks);
  CollWorld world(library_path(), kVersion, ranks);
  for (const int type : {kF32, kBf16, kF16}) {
    for (const size_t count : {1, 255, 2049, 40000, 300001}) {
      CAPTURE(type, count);
      const auto input = [count](int rank) { return gradients(rank, count); };
      CHECK(all_equal(all_reduce(world, count, type, input)));
      CHECK(all_equal(all_reduce(world, count, type, input, true)));
    }
  }
  world.run([](CollRank& rank) {
    std::vector<int64_t> exact(5000, rank.rank() + 1);
    rank.all_reduce({exact.data(), exact.data(), exact.size(), 4, 0});
    if (exact[4999] != rank.ranks() * (rank.ranks() + 1) / 2)
      throw std::runtime_error("integers are not exact");
    std::vector<float> largest(5000, 1.0F / static_cast<float>(rank.rank() + 3));
    rank.all_reduce({largest.data(), largest.data(), largest.size(), kF32, 2});
    if (largest[1] != 1.0F / 3) throw std::runtime_error("a maximum is not exact");
  });
}

TEST_CASE("the same input gives the same bytes in another run") {
  const auto run = [] {
    CollWorld world(library_path(), kVersion, 3);
    std::vector<Outputs> outputs;
    outputs.reserve(3);
    for (int step = 0; step < 3; ++step) {
      outputs.push_back(
          all_reduce(world, 100000, kF32, [step](int rank) { return gradients(rank, 100000, step); }));
    }
    return outputs;
  };
  const bool equal = run() == run();  // a difference is too long to print
  CHECK(equal);
}

TEST_CASE("blocks with what is no number or infinite are exact") {
  CollWorld world(library_path(), kVersion, 4);
  const Outputs outputs = all_reduce(world, 200000, kF32, [](int rank) {
    std::vector<float> values = gradients(rank, 200000);
    if (rank == 1) values[5] = NAN;
    if (rank == 2) values[100000] = INFINITY;
    if (rank == 3) values[199999] = -INFINITY;
    return values;
  });
  CHECK(all_equal(outputs));
  const std::vector<float> sum = as_floats(outputs.front());
  CHECK(std::isnan(sum[5]));
  CHECK(sum[100000] == INFINITY);
  CHECK(sum[199999] == -INFINITY);
}

TEST_CASE("sums are near the true ones") {
  constexpr size_t kCount = 200000;
  const int ranks = GENERATE(2, 4);
  CollWorld world(library_path(), kVersion, ranks);
  const std::vector<float> sum =
      as_floats(all_reduce(world, kCount, kF32, [](int rank) { return gradients(rank, kCount); }).front());
  std::vector<double> truth(kCount);
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<float> values = gradients(rank, kCount);
    for (size_t i = 0; i < kCount; ++i) truth[i] += values[i];
  }
  std::vector<double> error(kCount);
  for (size_t i = 0; i < kCount; ++i) error[i] = sum[i] - truth[i];
  // What NS_TEST_ERROR allows, of the sums' own size.
  CHECK(norm(error) <= std::stod(required_variable("NS_TEST_ERROR")) * norm(truth));
}

TEST_CASE("with error feedback the sum of what arrives converges to the sum of what was sent") {
  constexpr size_t kCount = 100000;
  constexpr int kSteps = 60;
  CollWorld world(library_path(), kVersion, kFedRanks);
  std::vector<std::vector<double>> arrived(kFedRanks, std::vector<double>(kCount));
  std::vector<double> sent(kCount);
  std::vector<double> step_norms;
  world.run([&](CollRank& rank) {
    Events events(world.library(), kFedRanks);
    std::vector<float> send(kCount);
    std::vector<float> recv(kCount);
    for (int step = 0; step < kSteps; ++step) {
      send = gradients(rank.rank(), kCount);  // always the same: what never arrives adds up
      events.begin(&send, kCount, 2);  // any address, the same every time
      // In two calls, as NCCL cuts it.
      const size_t half = kCount / 2;
      void* first = rank.post_all_reduce({send.data(), recv.data(), half, kF32, 0});
      void* second = rank.post_all_reduce({&send[half], &recv[half], kCount - half, kF32, 0});
      rank.wait(first);
      rank.wait(second);
      auto& sum = arrived[static_cast<size_t>(rank.rank())];
      for (size_t i = 0; i < kCount; ++i) sum[i] += recv[i];
    }
  });
  for (int rank = 1; rank < kFedRanks; ++rank) CHECK(arrived[static_cast<size_t>(rank)] == arrived[0]);
  std::vector<double> one_step(kCount);
  for (int step = 0; step < kSteps; ++step) {
    for (int rank = 0; rank < kFedRanks; ++rank) {
      const std::vector<float> values = gradients(rank, kCount);
      for (size_t i = 0; i < kCount; ++i) {
        sent[i] += values[i];
        if (step == 0) one_step[i] += values[i];
      }
    }
  }
  std::vector<double> missing(kCount);
  for (size_t i = 0; i < kCount; ++i) missing[i] = sent[i] - arrived[0][i];
  // What is missing is what the residuals hold: some steps' worth, however many steps there were. Without
  // feedback it would be a part of each step's.
  CHECK(norm(missing) <= std::stod(required_variable("NS_TEST_RESIDUAL")) * norm(one_step));
}

}  // namespace netsense::testing
