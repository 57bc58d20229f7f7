// Conversions of small floating-point types, against arithmetic on doubles.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tests/catch.h"
#include "tools/engine/device/small_floats.h"

using namespace netsense::engine;

namespace {

struct Layout {
  int fraction;        // bits
  int least_exponent;  // of normal numbers
  double largest;      // finite
  bool saturates;      // what is too large becomes `largest`, not infinity
};
constexpr Layout kHalf{10, -14, 65504, false};
constexpr Layout kBFloat16{7, -126, 3.3895313892515355e38, false};
constexpr Layout kE4M3{3, -6, 448, true};
constexpr Layout kE5M2{2, -14, 57344, true};

double decode(unsigned bits, int exponent_bits, const Layout& layout) {
  const int total = exponent_bits + layout.fraction;
  const double sign = bits >> total ? -1 : 1;
  const auto fraction = static_cast<double>(bits & ((1U << layout.fraction) - 1));
  const int exponent = static_cast<int>(bits >> layout.fraction & ((1U << exponent_bits) - 1));
  if (exponent == 0) return sign * std::ldexp(fraction, layout.least_exponent - layout.fraction);
  return sign * std::ldexp(fraction + (1 << layout.fraction),
                           layout.least_exponent + exponent - 1 - layout.fraction);
}

double round_to(double value, const Layout& layout) {
  if (value == 0) return value;
  if (std::isinf(value)) return layout.saturates ? std::copysign(layout.largest, value) : value;
  const int exponent = std::max(std::ilogb(value), layout.least_exponent);
  const double unit = std::ldexp(1, exponent - layout.fraction);
  const double rounded = std::nearbyint(value / unit) * unit;
  if (std::abs(rounded) <= layout.largest) return rounded;
  return std::copysign(layout.saturates ? layout.largest : std::numeric_limits<double>::infinity(), value);
}

template <typename Bits, typename Decode, typename Encode>
void check_type(int exponent_bits, const Layout& layout, unsigned first_special, Decode to_float,
                Encode from_float) {
  const unsigned patterns = 1U << (1 + exponent_bits + layout.fraction);
  for (unsigned bits = 0; bits < patterns; ++bits) {
    const unsigned rest = bits & (patterns / 2 - 1);
    if (rest >= first_special) continue;
    const float value = to_float(static_cast<Bits>(bits));
    REQUIRE(static_cast<double>(value) == decode(bits, exponent_bits, layout));
    REQUIRE(from_float(value) == bits);
  }
  std::mt19937 random(7);
  for (int i = 0; i < 300000; ++i) {
    float value = 0;
    const uint32_t bits = random();
    std::memcpy(&value, &bits, sizeof(value));
    if (i % 2 == 0)
      value =
          std::ldexp(1.0F + static_cast<float>(bits % 4096) / 4096, static_cast<int>(bits >> 12) % 60 - 30);
    if (std::isnan(value)) continue;
    REQUIRE(static_cast<double>(to_float(from_float(value))) == round_to(value, layout));
  }
  REQUIRE(std::isnan(to_float(from_float(std::numeric_limits<float>::quiet_NaN()))));
}

}  // namespace

TEST_CASE("half: every pattern and rounding") {
  check_type<uint16_t>(5, kHalf, 0x7c00, half_to_float, float_to_half);
  REQUIRE(std::isinf(half_to_float(0x7c00)));
  REQUIRE(std::isnan(half_to_float(0xfe01)));
}

TEST_CASE("bfloat16: every pattern and rounding") {
  check_type<uint16_t>(8, kBFloat16, 0x7f80, bfloat16_to_float, float_to_bfloat16);
  REQUIRE(std::isinf(bfloat16_to_float(0xff80)));
}

TEST_CASE("fp8 e4m3: every pattern, rounding and saturation") {
  check_type<uint8_t>(4, kE4M3, 0x7f, Float8E4M3::to_float, Float8E4M3::from_float);
  REQUIRE(Float8E4M3::from_float(std::numeric_limits<float>::infinity()) == 0x7e);
  REQUIRE(std::isnan(Float8E4M3::to_float(0xff)));
}

TEST_CASE("fp8 e5m2: every pattern, rounding and saturation") {
  check_type<uint8_t>(5, kE5M2, 0x7c, Float8E5M2::to_float, Float8E5M2::from_float);
  REQUIRE(Float8E5M2::from_float(-1e30F) == 0xfb);
  REQUIRE(std::isinf(Float8E5M2::to_float(0x7c)));
  REQUIRE(std::isnan(Float8E5M2::to_float(0x7d)));
}
