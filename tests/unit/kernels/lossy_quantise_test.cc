// Quantised blocks: how far a decoded value may be off, on average and at most, and that the encoder says so.
#include <random>

#include "tests/unit/kernels/lossy_harness.h"

namespace netsense::kernels::testing {
namespace {

constexpr size_t kSizes[] = {0, 1, 7, 8, 9, 31, 255, 256, 257, 1000, 65535, 65536};

// The scale by its definition, in other words than the library's: the least bf16 that is no smaller.
float scale_of(std::span<const float> group) {
  float largest = 0;
  for (const float x : group) largest = std::max(largest, std::fabs(x));
  const float cut = std::bit_cast<float>(std::bit_cast<uint32_t>(largest) & 0xffff0000);
  return cut == largest ? cut : std::bit_cast<float>(std::bit_cast<uint32_t>(cut) + 0x10000);
}

// What bounds the error of a group, in a type that has room for all of it.
double step_bound(std::span<const float> group, unsigned bits) {
  return static_cast<double>(scale_of(group)) / top_level(bits);
}

void check_error_bound(const Floats& values, const Floats& decoded, unsigned bits) {
  for (size_t i = 0; i < values.size(); i += kGroup) {
    const size_t m = std::min(kGroup, values.size() - i);
    const std::span group(&values[i], m);
    const double bound = step_bound(group, bits);
    for (size_t j = 0; j < m; ++j) {
      const double error = static_cast<double>(group[j]) - decoded[i + j];
      INFO("element " << i + j << ": " << group[j] << " became " << decoded[i + j]);
      if (bound == 0) {
        REQUIRE(error == 0);
      } else {
        REQUIRE(std::fabs(error) < bound);
      }
    }
  }
}

// value - decoded as f32, bit by bit, and the sums of squares.
void check_error(const Floats& values, const Floats& decoded, const Lossy& lossy) {
  Floats expected(values.size());
  double energy = 0, error_energy = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    expected[i] = values[i] - decoded[i];
    energy += static_cast<double>(values[i]) * values[i];
    error_energy += static_cast<double>(expected[i]) * expected[i];
  }
  REQUIRE(same_bits(lossy.error, expected));
  REQUIRE(lossy.result.energy == Approx(energy).epsilon(1e-12).margin(0));
  REQUIRE(lossy.result.error_energy == Approx(error_energy).epsilon(1e-12).margin(0));
}

// Values whose places between levels are where a rounding may go the wrong way: next to levels, and halfway.
Floats near_levels(unsigned bits, float scale) {
  Floats values;
  const float step = scale / static_cast<float>(top_level(bits));
  for (uint32_t level = 0; level <= top_level(bits); ++level) {
    const float on = static_cast<float>(level) * step;
    for (const float x : {on, std::nextafter(on, 0.0F), std::nextafter(on, scale), on + 0.5F * step,
                          on + step / 65536, on - step / 65536}) {
      values.push_back(std::clamp(x, 0.0F, scale));
      values.push_back(-values.back());
    }
    if (values.size() % kGroup > kGroup - 14) values.resize((values.size() / kGroup + 1) * kGroup, scale);
  }
  for (size_t i = 0; i < values.size(); i += kGroup) values[i] = scale;
  return values;
}

uint32_t random_word(uint64_t seed, uint32_t number) {
  uint64_t k = seed + 0x9e3779b97f4a7c15;
  k = (k ^ k >> 30) * 0xbf58476d1ce4e5b9;
  k = (k ^ k >> 27) * 0x94d049bb133111eb;
  k ^= k >> 31;
  uint32_t x = number ^ static_cast<uint32_t>(k);
  x = (x ^ x >> 17) * 0xed5ad4bb;
  x = ((x ^ x >> 11) + static_cast<uint32_t>(k >> 32)) * 0xac4c1b51;
  x = (x ^ x >> 15) * 0x31848bab;
  return x ^ x >> 14;
}

}  // namespace

TEST_CASE("the error of a quantised value is below scale / levels, and the encoder tells it exactly") {
  LossyHarness harness;
  for (const Content content :
       {Content::kGradients, Content::kSubnormals, Content::kTruncated, Content::kZeros,
        Content::kNegativeZeros, Content::kOneValue, Content::kPowers, Content::kSparse}) {
    for (const size_t n : kSizes) {
      const Floats values = floats_of(content, n);
      for (uint8_t bits = 2; bits <= 8; ++bits) {
        INFO(name_of(content) << ", " << n << " elements, " << int{bits} << " bits");
        const Lossy lossy = harness.encode({.bits = bits, .seed = n}, values);
        const Floats decoded = harness.decode(lossy.coded, n);
        check_error_bound(values, decoded, bits);
        check_error(values, decoded, lossy);
        if (content == Content::kGradients && n >= 255) {
          REQUIRE(lossy.kind() == BlockKind::kQuantised);
          REQUIRE(lossy.coded.size() == kBlockHeaderBytes + quantised_bytes(n, bits));
        }
      }
    }
  }
}

TEST_CASE("the bound holds next to the levels, for scales from the smallest to the largest") {
  LossyHarness harness;
  for (const float scale : {0x1p-133F, 0x1.8p-130F, 0x1p-126F, 0x1.04p-120F, 1.0F, 0x1.9cp3F, 0x1.fep127F}) {
    for (uint8_t bits = 2; bits <= 8; ++bits) {
      const Floats values = near_levels(bits, scale);
      for (uint64_t seed = 0; seed < 300; ++seed) {
        INFO(scale << ", " << int{bits} << " bits, seed " << seed);
        const Lossy lossy = harness.encode({.bits = bits, .seed = seed}, values);
        REQUIRE(lossy.kind() == BlockKind::kQuantised);
        check_error_bound(values, harness.decode(lossy.coded, values.size()), bits);
      }
    }
  }
}

TEST_CASE("a level stays what it is") {
  LossyHarness harness;
  Floats values(kGroup);
  for (size_t i = 0; i < kGroup; ++i) values[i] = static_cast<float>(static_cast<int>(i % 15) - 7);
  const Lossy lossy = harness.encode({.bits = 4}, values);
  CHECK(same_bits(harness.decode(lossy.coded, kGroup), values));
  CHECK(lossy.result.error_energy == 0);
}

// With N seeds the mean of a value that is one of two levels has a standard error of at most
// step / (2 sqrt(N)); six of these are exceeded once in 500 million, and there are 7 x 1000 values. The mean
// of all of them is held to 4 standard errors of it, which a bias far below the noise of a value would
// exceed.
TEST_CASE("rounding is unbiased") {
  LossyHarness harness;
  const Floats values = floats_of(Content::kGradients, 1000);
  constexpr int kSeeds = 4000;
  for (uint8_t bits = 2; bits <= 8; ++bits) {
    std::vector<double> sums(values.size());
    for (int seed = 0; seed < kSeeds; ++seed) {
      const Lossy lossy = harness.encode({.bits = bits, .seed = static_cast<uint64_t>(seed)}, values);
      const Floats decoded = harness.decode(lossy.coded, values.size());
      for (size_t i = 0; i < values.size(); ++i) sums[i] += decoded[i];
    }
    double bias = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t first = i / kGroup * kGroup;
      const double step = step_bound({&values[first], std::min(kGroup, values.size() - first)}, bits);
      const double off = (sums[i] / kSeeds - values[i]) / step;
      INFO("element " << i << ", " << int{bits} << " bits");
      REQUIRE(std::fabs(off) < 6 * 0.5 / std::sqrt(kSeeds) + 0x1p-15);
      bias += off / static_cast<double>(values.size());
    }
    INFO(int{bits} << " bits");
    CHECK(std::fabs(bias) < 4 * 0.5 / std::sqrt(kSeeds * 1000.0) + 0x1p-15);
  }
}

// The standard error of a correlation of n pairs is 1 / sqrt(n).
TEST_CASE("the roundings of neighbours, of halves of a group and of successive seeds are independent") {
  LossyHarness harness;
  constexpr size_t kN = 65536;
  Floats values(kN, 0.5F);  // halfway between levels 0 and 1 of 2 bits
  for (size_t i = 0; i < kN; i += kGroup) values[i] = 1;
  const auto ups = [&](uint64_t seed) {
    return harness.decode(harness.encode({.bits = 2, .seed = seed}, values).coded, kN);
  };
  const Floats one = ups(41);
  const auto correlation = [&](const Floats& other, size_t lag) {
    double sum = 0;
    for (size_t i = 0; i + lag < kN; ++i) {
      if (i % kGroup != 0 && (i + lag) % kGroup != 0) sum += (2 * one[i] - 1) * (2 * other[i + lag] - 1);
    }
    return std::fabs(sum) / static_cast<double>(kN);
  };
  for (const size_t lag : {1U, 2U, 4U, 8U, 32U, 127U, 128U, 129U, 256U, 4096U}) {
    INFO("lag " << lag);
    CHECK(correlation(one, lag) < 5 / std::sqrt(kN));
  }
  for (const uint64_t seed : {40ULL, 42ULL, 43ULL, 41ULL + (1ULL << 32)}) {
    CHECK(correlation(ups(seed), 0) < 5 / std::sqrt(kN));
  }
}

// Another implementation would make the same blocks.
TEST_CASE("rounding goes by the numbers that docs/codecs.md says") {
  LossyHarness harness;
  const Floats values = floats_of(Content::kGradients, 1000);
  for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, uint64_t{0x123456789abcdef0}}) {
    for (uint8_t bits = 2; bits <= 8; ++bits) {
      const Floats decoded = harness.decode(harness.encode({.bits = bits, .seed = seed}, values).coded, 1000);
      for (size_t i = 0; i < values.size(); ++i) {
        const size_t first = i / kGroup * kGroup;
        const auto top = static_cast<float>(top_level(bits));
        const volatile float step = scale_of({&values[first], std::min(kGroup, values.size() - first)}) / top;
        const volatile float place = std::min(std::fabs(values[i]) / step, top);
        const long fixed = std::lrint(place * 32768.0F);
        const uint32_t word = random_word(seed, static_cast<uint32_t>(i / 256 * 128 + i % 128));
        const long level = (fixed + (i % 256 < 128 ? word & 0x7fff : word >> 16 & 0x7fff)) >> 15;
        INFO("element " << i << ", " << int{bits} << " bits");
        REQUIRE(decoded[i] == std::copysign(static_cast<float>(level) * step, values[i]));
      }
    }
  }
}

TEST_CASE("the same seed gives the same bytes, another gives others") {
  LossyHarness harness;
  const Floats values = floats_of(Content::kGradients, 3000);
  const Bytes first = harness.encode({.bits = 4, .seed = 9}, values).coded;
  CHECK((harness.encode({.bits = 4, .seed = 9}, values).coded == first));
  CHECK((harness.encode({.bits = 4, .seed = 10}, values).coded != first));
}

TEST_CASE("with error feedback the sum of what was decoded stays within one error of the sum of what came") {
  LossyHarness harness;
  const Floats gradient = captured_gradients().front().values;
  for (const LossyChoice& kind :
       {LossyChoice{.bits = 2}, LossyChoice{.bits = 4}, LossyChoice{.bits = 4, .keep = 6554}}) {
    Floats carried(gradient.size());
    std::vector<double> sent(gradient.size());
    double largest_residual = 0, worst = 0, energy = 0;
    constexpr int kSteps = 60;
    for (int step = 1; step <= kSteps; ++step) {
      LossyChoice choice = kind;
      choice.seed = static_cast<uint64_t>(step);
      Floats values(gradient.size());
      for (size_t i = 0; i < values.size(); ++i) values[i] = gradient[i] + carried[i];
      const Lossy lossy = harness.encode(choice, values);
      const Floats decoded = harness.decode(lossy.coded, values.size());
      for (size_t i = 0; i < values.size(); ++i) sent[i] += decoded[i];
      carried = lossy.error;
      energy = lossy.result.energy;
    }
    double off = 0, whole = 0;
    for (size_t i = 0; i < gradient.size(); ++i) {
      const double input = static_cast<double>(gradient[i]) * kSteps;
      // What is missing is what is still carried, but for the rounding of some sums.
      worst = std::max(worst, std::fabs(input - sent[i] - carried[i]));
      largest_residual = std::max(largest_residual, std::fabs(static_cast<double>(carried[i])));
      off += (input - sent[i]) * (input - sent[i]);
      whole += input * input;
    }
    INFO("bits " << int{kind.bits} << ", keep " << kind.keep << ", energy " << energy);
    CHECK(worst < 1e-4 * largest_residual);
    // The relative error shrinks with the number of steps; without feedback it would stay.
    CHECK(off < 0.05 * whole);
  }
}

}  // namespace netsense::kernels::testing
