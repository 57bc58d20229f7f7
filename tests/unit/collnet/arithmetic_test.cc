// What no collective over the exported symbols shows well: the 8-bit floats, code by code.
#include "plugin/collnet/arithmetic.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "plugin/collnet/float8.h"
#include "tests/catch.h"

namespace netsense::collnet {

TEST_CASE("every 8-bit float comes back from f32 as it was") {
  for (const Float8Layout& layout : {kE4M3, kE5M2}) {
    for (int code = 0; code < 256; ++code) {
      const float value = from_float8(layout, static_cast<uint8_t>(code));
      CAPTURE(layout.exponent_bits, code, value);
      if (std::isnan(value)) {
        CHECK(std::isnan(from_float8(layout, to_float8(layout, value))));
      } else {
        CHECK(to_float8(layout, value) == code);
      }
    }
  }
}

TEST_CASE("8-bit floats are what the OCP specification says") {
  CHECK(from_float8(kE4M3, 0x7e) == 448);
  CHECK(std::isnan(from_float8(kE4M3, 0x7f)));
  CHECK(from_float8(kE4M3, 0x01) == std::ldexp(1.0F, -9));
  CHECK(from_float8(kE5M2, 0x7b) == 57344);
  CHECK(from_float8(kE5M2, 0x7c) == INFINITY);
  CHECK(from_float8(kE5M2, 0x01) == std::ldexp(1.0F, -16));
}

TEST_CASE("f32 is rounded to the nearest 8-bit float, halves to even, too large to the largest") {
  for (const Float8Layout& layout : {kE4M3, kE5M2}) {
    const int largest = layout.infinities ? 0x7b : 0x7e;
    for (int code = 0; code < largest; ++code) {
      const float low = from_float8(layout, static_cast<uint8_t>(code));
      const float high = from_float8(layout, static_cast<uint8_t>(code + 1));
      const float middle = (low + high) / 2;
      CAPTURE(layout.exponent_bits, code);
      CHECK(to_float8(layout, middle) == code + code % 2);
      CHECK(to_float8(layout, std::nextafter(middle, low)) == code);
      CHECK(to_float8(layout, std::nextafter(middle, high)) == code + 1);
      CHECK(to_float8(layout, -middle) == (0x80 | (code + code % 2)));
    }
    CHECK(to_float8(layout, 1e30F) == largest);
  }
}

TEST_CASE("sums wrap around in integers, and maxima know signs") {
  const std::vector<int8_t> a{127, -128, -1};
  const std::vector<int8_t> b{1, -1, 1};
  const auto apply = [&](Op op) {
    std::vector<int8_t> sum(3);
    begin_sum(Type::kInt8, reinterpret_cast<const std::byte*>(a.data()), 3,
              reinterpret_cast<std::byte*>(sum.data()));
    add_to_sum(Type::kInt8, op, reinterpret_cast<const std::byte*>(b.data()), 3,
               reinterpret_cast<std::byte*>(sum.data()));
    return sum;
  };
  CHECK(apply(Op::kSum) == std::vector<int8_t>{-128, 127, 0});
  CHECK(apply(Op::kProd) == std::vector<int8_t>{127, -128, -1});
  CHECK(apply(Op::kMax) == std::vector<int8_t>{127, -1, 1});
  CHECK(apply(Op::kMin) == std::vector<int8_t>{1, -128, -1});
}

}  // namespace netsense::collnet
