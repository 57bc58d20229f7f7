// The bound, against figures worked out by hand.
#include <cstring>

#include "tests/catch.h"
#include "tools/codec/bound.h"

namespace netsense::codec {
namespace {

template <typename T, size_t N>
double bound(DType type, const T (&words)[N]) {
  return bound_bits(type, std::span(reinterpret_cast<const uint8_t*>(words), sizeof words));
}

}  // namespace

TEST_CASE("elements of one exponent cost sign and mantissa") {
  const float values[] = {1.0F, -1.5F, 1.25F};
  CHECK(bound(DType::kF32, values) == Approx(24));
}

TEST_CASE("a zero of either sign costs no mantissa, a subnormal does") {
  const uint16_t half_zeros[] = {0x0000, 0x8000, 0x3f80, 0xbf80};  // bf16
  CHECK(bound(DType::kBf16, half_zeros) == Approx(1 + 0.5 * 8));
  const uint16_t subnormals[] = {0x0001, 0x8001, 0x3f80, 0xbf80};
  CHECK(bound(DType::kBf16, subnormals) == Approx(1 + 8));
}

TEST_CASE("exponents cost their entropy") {
  const double values[] = {1, 2, 4, 4};  // 1.5 bits
  CHECK(bound(DType::kF64, values) == Approx(1.5 + 53));
  const uint8_t small[] = {0x38, 0x40};  // e4m3 1 and 2
  CHECK(bound(DType::kF8E4M3, small) == Approx(1 + 4));
}

TEST_CASE("no elements have no bound to speak of") {
  CHECK(bound_bits(DType::kF32, {}) == 0);
}

}  // namespace netsense::codec
