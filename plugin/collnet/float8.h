// The two 8-bit floats of the OCP specification "8-bit Floating Point (OFP8)" 1.0, one element at a time:
// sums of them are rare on a network.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace netsense::collnet {

struct Float8Layout {
  int exponent_bits;
  int mantissa_bits;
  bool infinities;  // E5M2 has them; in E4M3 only the largest code is special: NaN
};
inline constexpr Float8Layout kE4M3{4, 3, false};
inline constexpr Float8Layout kE5M2{5, 2, true};

inline float from_float8(const Float8Layout& layout, uint8_t bits) {
  const int bias = (1 << (layout.exponent_bits - 1)) - 1;
  const int exponent = bits >> layout.mantissa_bits & ((1 << layout.exponent_bits) - 1);
  const int mantissa = bits & ((1 << layout.mantissa_bits) - 1);
  const int top = (1 << layout.exponent_bits) - 1;
  float value = 0;
  if (exponent == top && layout.infinities) {
    value = mantissa == 0 ? INFINITY : NAN;
  } else if (exponent == top && mantissa == (1 << layout.mantissa_bits) - 1) {
    value = NAN;
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(mantissa), 1 - bias - layout.mantissa_bits);
  } else {
    value = std::ldexp(static_cast<float>(mantissa + (1 << layout.mantissa_bits)),
                       exponent - bias - layout.mantissa_bits);
  }
  return (bits & 0x80) != 0 ? -value : value;
}

// To nearest even. A number that is too large becomes the largest, as in NCCL's device code; so does an
// infinity where the type has none.
inline uint8_t to_float8(const Float8Layout& layout, float value) {
  const int bias = (1 << (layout.exponent_bits - 1)) - 1;
  const int top = (1 << layout.exponent_bits) - 1;
  const uint8_t sign = std::signbit(value) ? 0x80 : 0;
  const auto code = [&](int exponent, int mantissa) {
    return static_cast<uint8_t>(sign | exponent << layout.mantissa_bits | mantissa);
  };
  const int ones = (1 << layout.mantissa_bits) - 1;
  if (std::isnan(value)) return code(top, ones);
  if (std::isinf(value) && layout.infinities) return code(top, 0);
  const uint8_t largest = layout.infinities ? code(top - 1, ones) : code(top, ones - 1);
  const float magnitude = std::fabs(value);
  if (magnitude >= std::fabs(from_float8(layout, largest))) return largest;
  // The distance between neighbours there; numbers without an exponent have that of the smallest.
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int unit = std::max(exponent - 1, 1 - bias) - layout.mantissa_bits;
  auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -unit)));
  int biased = unit + layout.mantissa_bits + bias;
  if (steps > 2 * ones + 1) {
    steps /= 2;
    ++biased;
  }
  if (steps <= ones) return code(0, steps);
  return code(biased, steps - ones - 1);
}

}  // namespace netsense::collnet
