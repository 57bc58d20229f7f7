// Conversions between float and the floating-point types of 16 and 8 bits, rounding to nearest even. Written
// without branches where it matters, so that compilers vectorise loops over them.
#pragma once

#include <bit>
#include <cstdint>

namespace netsense::engine {

constexpr uint32_t kFloatSign = 0x80000000U;

constexpr float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000U) << 16;
  const uint32_t rest = half & 0x7fffU;
  // Normal numbers: move the exponent; infinities and NaNs: to the top exponent; subnormals: let float
  // subtraction find the leading bit.
  const uint32_t normal = (rest << 13) + 0x38000000U;
  const uint32_t special = (rest << 13) + 0x70000000U;
  const float magic = std::bit_cast<float>((rest << 13) + 0x38800000U) - std::bit_cast<float>(0x38800000U);
  uint32_t bits = rest >= 0x7c00U ? special : normal;
  bits = rest < 0x0400U ? std::bit_cast<uint32_t>(magic) : bits;
  return std::bit_cast<float>(bits | sign);
}

constexpr uint16_t float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits & kFloatSign;
  const uint32_t rest = bits ^ sign;
  // Adding a number whose last place is the half's last place rounds as wished; below the normal range that
  // place is fixed at 2^-24.
  const uint32_t subnormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(rest) + 0.5F) - std::bit_cast<uint32_t>(0.5F);
  const uint32_t normal = (rest + 0x0fffU + ((rest >> 13) & 1U) - 0x38000000U) >> 13;
  uint32_t half = rest < 0x38800000U ? subnormal : normal;
  half = rest >= 0x47800000U ? 0x7c00U : half;  // 65536 and up
  half = rest > 0x7f800000U ? 0x7fffU : half;   // NaN
  return static_cast<uint16_t>(half | (sign >> 16));
}

constexpr float bfloat16_to_float(uint16_t value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value) << 16);
}

constexpr uint16_t float_to_bfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  return static_cast<uint16_t>((bits & ~kFloatSign) > 0x7f800000U ? 0x7fffU : rounded);
}

// Eight bits: sign, then Exponent bits, then the rest. E4M3 has no infinity and one NaN; E5M2 is a short
// half.
template <int Exponent>
struct Float8Format {
  static constexpr int kFraction = 7 - Exponent;
  static constexpr int kBias = (1 << (Exponent - 1)) - 1;
  static constexpr uint32_t kLargest = Exponent == 4 ? 0x7eU : 0x7bU;  // largest finite value
  static constexpr uint32_t kNan = 0x7fU;

  static constexpr float to_float(uint8_t value) {
    const uint32_t sign = static_cast<uint32_t>(value & 0x80U) << 24;
    const uint32_t rest = value & 0x7fU;
    const int shift = 23 - kFraction;
    constexpr auto kRebias = static_cast<uint32_t>(127 - kBias) << 23;
    constexpr uint32_t kOne = kRebias + (1U << 23);  // exponent of the smallest normal number
    uint32_t bits = (rest << shift) + kRebias;
    if (rest >> kFraction == 0) {
      bits =
          std::bit_cast<uint32_t>(std::bit_cast<float>((rest << shift) + kOne) - std::bit_cast<float>(kOne));
    }
    if (Exponent == 4 && rest == kNan) bits = 0x7fffffffU;
    if (Exponent == 5 && rest >= 0x7cU) bits = rest == 0x7cU ? 0x7f800000U : 0x7fffffffU;
    return std::bit_cast<float>(bits | sign);
  }

  // Values too large become the largest finite one, as CUDA's saturating conversion does.
  static constexpr uint8_t from_float(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t sign = bits & kFloatSign;
    const uint32_t rest = bits ^ sign;
    constexpr int kShift = 23 - kFraction;
    constexpr auto kRebias = static_cast<uint32_t>(127 - kBias) << 23;
    // A power of two whose last float place is the last place of the subnormals here.
    constexpr uint32_t kMagic = static_cast<uint32_t>(127 + 1 - kBias - kFraction + 23) << 23;
    uint32_t result =
        std::bit_cast<uint32_t>(std::bit_cast<float>(rest) + std::bit_cast<float>(kMagic)) - kMagic;
    if (rest >= kRebias + (1U << 23)) {
      result = (rest + (1U << (kShift - 1)) - 1U + ((rest >> kShift) & 1U) - kRebias) >> kShift;
    }
    if (result > kLargest) result = kLargest;
    if (rest > 0x7f800000U) result = kNan;
    return static_cast<uint8_t>(result | (sign >> 24));
  }
};

using Float8E4M3 = Float8Format<4>;
using Float8E5M2 = Float8Format<5>;

}  // namespace netsense::engine
