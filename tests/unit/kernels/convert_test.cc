// f16 and bf16 to f32 and back: every pattern of 16 bits, and of f32 every neighbour of where rounding turns,
// against conversions by exact arithmetic in double.
#include "kernels/cpu/convert.h"

#include <cmath>
#include <limits>
#include <random>

#include "tests/unit/kernels/lossy_harness.h"

namespace netsense::kernels::testing {
namespace {

using Halves = std::vector<uint16_t>;

struct Kind {
  DType type;
  int mantissa;
  int exponents;
  [[nodiscard]] int bias() const { return (1 << (exponents - 1)) - 1; }
};
constexpr Kind kKinds[] = {{DType::kF16, 10, 5}, {DType::kBf16, 7, 8}};

Halves all_halves() {
  Halves all(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  return all;
}

// By the definition of the types.
double value_of(const Kind& kind, uint16_t half) {
  const int exponent = half >> kind.mantissa & ((1 << kind.exponents) - 1);
  const int mantissa = half & ((1 << kind.mantissa) - 1);
  const double sign = half >> 15 != 0 ? -1 : 1;
  if (exponent == (1 << kind.exponents) - 1) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - kind.bias() - kind.mantissa);
  return sign * std::ldexp(mantissa + (1 << kind.mantissa), exponent - kind.bias() - kind.mantissa);
}

// To the nearest by trying both neighbours: magnitudes order as their bits do.
uint16_t nearest_half(const Kind& kind, float x) {
  const auto sign = static_cast<uint16_t>(std::signbit(x) ? 0x8000 : 0);
  const double magnitude = std::fabs(static_cast<double>(x));
  const auto infinity = static_cast<uint16_t>(((1 << kind.exponents) - 1) << kind.mantissa);
  uint16_t low = 0;
  for (uint16_t high = infinity; high - low > 1;) {
    const auto middle = static_cast<uint16_t>((low + high) / 2);
    (value_of(kind, middle) <= magnitude ? low : high) = middle;
  }
  // For rounding, infinity counts as the value that would come next.
  const double below = value_of(kind, low);
  const auto next = static_cast<uint16_t>(low + 1);
  const double above =
      next == infinity ? 2 * below - value_of(kind, static_cast<uint16_t>(low - 1)) : value_of(kind, next);
  const double down = magnitude - below;
  const double up = above - magnitude;
  const bool rounds_up = up < down || (up == down && low % 2 != 0);
  return static_cast<uint16_t>(sign | (rounds_up ? next : low));
}

// Every value of the type and what is halfway to the next, with their neighbours; and random bits.
Floats turning_points(const Kind& kind) {
  Floats all;
  const auto with_neighbours = [&](float x) {
    const auto bits = std::bit_cast<uint32_t>(x);
    for (const uint32_t near : {bits, bits + 1, bits == 0 ? 0 : bits - 1}) {
      if ((near & 0x7fffffff) <= 0x7f800000) all.push_back(std::bit_cast<float>(near));
    }
  };
  for (uint32_t half = 0; half < 0x7fff; half += kind.mantissa == 10 ? 1 : 3) {
    const double value = value_of(kind, static_cast<uint16_t>(half));
    const double next = value_of(kind, static_cast<uint16_t>(half + 1));
    if (!std::isfinite(value)) break;
    with_neighbours(static_cast<float>(value));
    if (std::isfinite(next)) with_neighbours(static_cast<float>((value + next) / 2));
  }
  for (const float x :
       {65504.0F, 65519.996F, 65520.0F, 65536.0F, 0x1.fep127F, 0x1.fefffep127F, 0x1.ffp127F,
        std::numeric_limits<float>::max(), std::numeric_limits<float>::infinity(), 0x1p-149F}) {
    with_neighbours(x);
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 50000; ++i) {
    const auto bits = static_cast<uint32_t>(random());
    if ((bits & 0x7fffffff) <= 0x7f800000) all.push_back(std::bit_cast<float>(bits));
  }
  const size_t count = all.size();
  for (size_t i = 0; i < count; i += 3) all.push_back(-all[i]);
  return all;
}

}  // namespace

TEST_CASE("16 bits become f32 exactly, and come back") {
  const Halves halves = all_halves();
  for (const Kind& kind : kKinds) {
    for (const Backend* backend : backends()) {
      Floats wide(halves.size());
      REQUIRE(to_f32(*backend, kind.type, halves.data(), halves.size(), wide.data()));
      Halves back(halves.size());
      REQUIRE(from_f32(*backend, kind.type, wide.data(), wide.size(), back.data()));
      for (size_t i = 0; i < halves.size(); ++i) {
        const double expected = value_of(kind, halves[i]);
        INFO(name_of(kind.type) << " " << i << ", " << backend_name(*backend));
        if (std::isnan(expected)) {
          // Quiet, and otherwise as it was.
          REQUIRE(std::isnan(wide[i]));
          REQUIRE((std::bit_cast<uint32_t>(wide[i]) & 0x00400000) != 0);
          REQUIRE(back[i] == (halves[i] | 1 << (kind.mantissa - 1)));
        } else {
          REQUIRE(static_cast<double>(wide[i]) == expected);
          REQUIRE(std::signbit(wide[i]) == std::signbit(expected));
          REQUIRE(back[i] == halves[i]);
        }
      }
    }
  }
}

TEST_CASE("f32 become the nearest of 16 bits, even of two") {
  for (const Kind& kind : kKinds) {
    const Floats values = turning_points(kind);
    for (const Backend* backend : backends()) {
      Halves halves(values.size());
      REQUIRE(from_f32(*backend, kind.type, values.data(), values.size(), halves.data()));
      for (size_t i = 0; i < values.size(); ++i) {
        INFO(name_of(kind.type) << " of " << std::hexfloat << values[i] << ", " << backend_name(*backend));
        REQUIRE(halves[i] == nearest_half(kind, values[i]));
      }
    }
  }
}

TEST_CASE("NaNs of any payload stay NaNs of their sign and become quiet") {
  for (const Kind& kind : kKinds) {
    for (const uint32_t bits : {0x7f800001U, 0x7f801000U, 0xff802000U, 0x7fffffffU, 0xffc00000U}) {
      const auto nan = std::bit_cast<float>(bits);
      uint16_t half = 0;
      REQUIRE(from_f32(kind.type, &nan, 1, &half));
      CHECK(std::isnan(value_of(kind, half)));
      CHECK((half >> (kind.mantissa - 1) & 1) == 1);
      CHECK(half >> 15 == bits >> 31);
    }
  }
}

TEST_CASE("conversions and sums of every short length are those of their elements, at odd addresses") {
  for (const DType type : {DType::kF32, DType::kF16, DType::kBf16}) {
    const size_t size = float_layout(type).bytes;
    const Floats content = floats_of(Content::kGradients, 70);
    for (const Backend* backend : backends()) {
      for (size_t n = 0; n <= 70; ++n) {
        INFO(name_of(type) << ", " << n << ", " << backend_name(*backend));
        Bytes narrow(n * size + 2, 0xC3), wide(n * 4 + 2, 0xC3);
        REQUIRE(from_f32(*backend, type, content.data(), n, &narrow[1]));
        REQUIRE(narrow.back() == 0xC3);
        REQUIRE(to_f32(*backend, type, &narrow[1], n, reinterpret_cast<float*>(&wide[1])));
        REQUIRE(wide.back() == 0xC3);
        Floats one(n), sum = content;
        if (n != 0) std::memcpy(one.data(), &wide[1], n * 4);
        REQUIRE(add_f32(*backend, type, &narrow[1], n, sum.data()));
        for (size_t i = 0; i < content.size(); ++i) {
          const float expected = i < n ? content[i] + one[i] : content[i];
          REQUIRE(std::bit_cast<uint32_t>(sum[i]) == std::bit_cast<uint32_t>(expected));
          if (i < n) REQUIRE(std::fabs(one[i] - content[i]) <= std::fabs(content[i]) * 0x1p-8F);
        }
      }
    }
  }
}

TEST_CASE("other types are refused") {
  float value = 3;
  uint16_t half = 7;
  for (const DType type : {DType::kBytes, DType::kF64, DType::kF8E4M3, DType::kF8E5M2}) {
    CHECK_FALSE(to_f32(type, &half, 1, &value));
    CHECK_FALSE(from_f32(type, &value, 1, &half));
    CHECK_FALSE(add_f32(type, &half, 1, &value));
  }
  CHECK(value == 3);
  CHECK(half == 7);
}

}  // namespace netsense::kernels::testing
