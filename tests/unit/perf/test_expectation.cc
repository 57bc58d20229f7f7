#include <cmath>
#include <cstring>
#include <limits>

#include "tests/catch.h"
#include "tools/perf/dataset.h"
#include "tools/perf/expectation.h"

namespace netsense::perf {
namespace {

template <typename T>
Pattern pattern_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return Pattern({bytes.begin(), bytes.end()});
}

template <typename T>
size_t wrong(const Expectation& expectation, const std::vector<T>& result, size_t first = 0) {
  return expectation.count_wrong(std::as_bytes(std::span(result)), first);
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Expectation reduced(ns_op op, const std::vector<float>& a, const std::vector<float>& b) {
  return Expectation::reduced(type_info(ns_float32), op, {pattern_of(a), pattern_of(b)});
}

}  // namespace

TEST_CASE("an exact sum must match, one bit off is found and counted") {
  const Expectation sum = reduced(ns_sum, {1, 2, 3}, {10, 20, 30});
  CHECK(wrong<float>(sum, {11, 22, 33, 11, 22}) == 0);
  CHECK(wrong<float>(sum, {22, 33}, 1) == 0);
  CHECK(wrong<float>(sum, {11, 22, std::nextafter(33.0F, 0.0F)}) == 1);
  CHECK(wrong<float>(sum, {22, 11, 33}) == 2);
}

TEST_CASE("a rounded sum may differ by its rounding error and no more") {
  const Expectation sum = reduced(ns_sum, {0.1F}, {0.2F});
  const float best = 0.1F + 0.2F;
  CHECK(wrong<float>(sum, {best}) == 0);
  CHECK(wrong<float>(sum, {std::nextafter(best, 0.0F)}) == 0);
  CHECK(wrong<float>(sum, {best * 1.000001F}) == 1);
  CHECK(wrong<float>(sum, {kNan}) == 1);
}

TEST_CASE("overflow and non-finite inputs allow a non-finite result, and only then") {
  const float large = std::numeric_limits<float>::max();
  CHECK(wrong<float>(reduced(ns_sum, {large}, {large}), {kInfinity}) == 0);
  CHECK(wrong<float>(reduced(ns_sum, {kNan}, {1}), {kNan}) == 0);
  CHECK(wrong<float>(reduced(ns_sum, {kInfinity}, {1}), {1}) == 1);
  CHECK(wrong<float>(reduced(ns_sum, {1}, {1}), {kInfinity}) == 1);
}

TEST_CASE("overflow in an 8-bit format may saturate or not, but only overflow") {
  const auto sum_of = [](uint8_t a, uint8_t b) {
    return Expectation::reduced(type_info(ns_float8_e4m3), ns_sum,
                                {pattern_of<uint8_t>({a}), pattern_of<uint8_t>({b})});
  };
  constexpr uint8_t kLargest = 0x7E;
  constexpr uint8_t kNotANumber = 0x7F;
  constexpr uint8_t kOne = 0x38;
  constexpr uint8_t kTwo = 0x40;
  CHECK(wrong<uint8_t>(sum_of(kLargest, kLargest), {kLargest}) == 0);
  CHECK(wrong<uint8_t>(sum_of(kLargest, kLargest), {kNotANumber}) == 0);
  CHECK(wrong<uint8_t>(sum_of(kOne, kOne), {kTwo}) == 0);
  CHECK(wrong<uint8_t>(sum_of(kOne, kOne), {kLargest}) == 1);
  CHECK(wrong<uint8_t>(sum_of(kOne, kOne), {kNotANumber}) == 1);
}

TEST_CASE("averages, products, minimum and maximum of floats") {
  CHECK(wrong<float>(reduced(ns_avg, {1, 3}, {2, 5}), {1.5F, 4}) == 0);
  CHECK(wrong<float>(reduced(ns_avg, {1, 3}, {2, 5}), {3, 8}) == 2);
  CHECK(wrong<float>(reduced(ns_prod, {2, 0.5F}, {4, -1}), {8, -0.5F}) == 0);
  CHECK(wrong<float>(reduced(ns_prod, {2, 3}, {4, 5}), {std::nextafter(8.0F, 9.0F), 15}) == 1);
  const auto product = Expectation::reduced(
      type_info(ns_float32), ns_prod,
      {pattern_of<float>({0x1p-100F}), pattern_of<float>({0x1p-100F}), pattern_of<float>({0x1p90F})});
  CHECK(wrong<float>(product, {0x1p-110F}) == 0);
  CHECK(wrong<float>(product, {0}) == 0);  // the first two underflow together
  CHECK(wrong<float>(product, {1}) == 1);
  CHECK(wrong<float>(reduced(ns_max, {2, -3}, {4, -5}), {4, -3}) == 0);
  CHECK(wrong<float>(reduced(ns_min, {2, -3}, {4, -5}), {2, -5}) == 0);
  CHECK(wrong<float>(reduced(ns_min, {2, -3}, {4, -5}), {4, -3}) == 2);
  CHECK(wrong<float>(reduced(ns_max, {kNan}, {1}), {1}) == 0);
}

TEST_CASE("integers wrap around in the width of their type") {
  const TypeInfo& type = type_info(ns_int32);
  const auto reduce = [&](ns_op op, std::vector<int32_t> a, std::vector<int32_t> b) {
    return Expectation::reduced(type, op, {pattern_of(a), pattern_of(b)});
  };
  CHECK(wrong<int32_t>(reduce(ns_sum, {INT32_MAX, 5}, {1, -7}), {INT32_MIN, -2}) == 0);
  CHECK(wrong<int32_t>(reduce(ns_avg, {-3, 7}, {0, 0}), {-1, 3}) == 0);  // towards zero
  CHECK(wrong<int32_t>(reduce(ns_max, {-3}, {2}), {2}) == 0);
  CHECK(wrong<int32_t>(reduce(ns_min, {-3}, {2}), {-3}) == 0);
  CHECK(wrong<int32_t>(reduce(ns_prod, {-3}, {2}), {-6}) == 0);
  CHECK(wrong<int32_t>(reduce(ns_prod, {-3}, {2}), {-5}) == 1);
  const auto unsigned_max = Expectation::reduced(type_info(ns_uint8), ns_max,
                                                 {pattern_of<uint8_t>({200}), pattern_of<uint8_t>({100})});
  CHECK(wrong<uint8_t>(unsigned_max, {200}) == 0);
}

TEST_CASE("copied data must match in every bit, NaN payloads included") {
  const TypeInfo& type = type_info(ns_float32);
  const std::vector<uint32_t> bits{0x7FC00001, 0x80000000, 0xFF812345};
  const Expectation copy = Expectation::copied(type, pattern_of(bits));
  CHECK(wrong<uint32_t>(copy, bits) == 0);
  CHECK(wrong<uint32_t>(copy, {0x7FC00000, 0x00000000, 0xFF812345}) == 2);
}

// Reduces the generated inputs in the type itself, one rank after the other, as an engine does.
TEST_CASE("every float type and reduction accepts a plain computation and finds one mutated element") {
  constexpr int kRanks = 3;
  for (const TypeInfo& type : all_types()) {
    if (!type.floating) continue;
    for (const OpInfo& op : all_ops()) {
      INFO(type.name << " " << op.name);
      const Dataset data(type.type, op.op, kRanks, nullptr);
      const auto element = static_cast<size_t>(type.bytes);
      std::vector<std::byte> result(kGeneratedPeriod * element);
      for (size_t at = 0; at < result.size(); at += element) {
        double value = decode(type, load_bits(type, data.input(0).from(at).data()));
        for (int rank = 1; rank < kRanks; ++rank) {
          const double x = decode(type, load_bits(type, data.input(rank).from(at).data()));
          const double next = op.op == ns_prod  ? value * x
                              : op.op == ns_max ? std::max(value, x)
                              : op.op == ns_min ? std::min(value, x)
                                                : value + x;
          value = decode(type, encode(type, next));
        }
        if (op.op == ns_avg) value /= kRanks;
        store_bits(type, encode(type, value), result.data() + at);
      }
      const Expectation& expectation = data.expectation(Piece::kReduced);
      CHECK(expectation.count_wrong(result, 0) == 0);
      const uint64_t top_bit = uint64_t{1} << (8 * type.bytes - 2);
      std::byte* victim = result.data() + 77 * element;
      store_bits(type, load_bits(type, victim) ^ top_bit, victim);
      CHECK(expectation.count_wrong(result, 0) == 1);
    }
  }
}

}  // namespace netsense::perf
