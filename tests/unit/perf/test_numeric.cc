#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/catch.h"
#include "tools/perf/numeric.h"

namespace netsense::perf {
namespace {

bool is_small_float(const TypeInfo& type) {
  return type.floating && type.bytes <= 2;
}

}  // namespace

TEST_CASE("every value of the small float types survives decoding and encoding") {
  for (const TypeInfo& type : all_types()) {
    if (!is_small_float(type)) continue;
    for (uint64_t bits = 0; bits < uint64_t{1} << (8 * type.bytes); ++bits) {
      const double value = decode(type, bits);
      if (std::isnan(value)) {
        CHECK(std::isnan(decode(type, encode(type, value))));
      } else if (encode(type, value) != bits) {
        FAIL(type.name << " " << bits << " became " << encode(type, value));
      }
    }
  }
}

TEST_CASE("float and double agree with the compiler's") {
  const TypeInfo& single = type_info(ns_float32);
  for (const double value : {0.0, -0.0, 1.0, -1.5, 3.14159265358979, 1e-40, 1e-45, 3.4028235677973366e38,
                             1e300, 1e-60, std::numeric_limits<double>::infinity()}) {
    CHECK(encode(single, value) == std::bit_cast<uint32_t>(static_cast<float>(value)));
    CHECK(encode(type_info(ns_float64), value) == std::bit_cast<uint64_t>(value));
  }
  for (const float value : {1.0F, -2.75F, 1e-42F, 3e38F}) {
    CHECK(decode(single, std::bit_cast<uint32_t>(value)) == static_cast<double>(value));
  }
  CHECK(decode(type_info(ns_float64), std::bit_cast<uint64_t>(-1e-310)) == -1e-310);
}

TEST_CASE("encoding rounds to nearest, ties to even") {
  const TypeInfo& half = type_info(ns_float16);
  CHECK(decode(half, encode(half, 2049.0)) == 2048);  // tie, down to even
  CHECK(decode(half, encode(half, 2051.0)) == 2052);  // tie, up to even
  CHECK(decode(half, encode(half, 2049.01)) == 2050);
  CHECK(decode(half, encode(half, 4095.0)) == 4096);          // carries into the exponent
  CHECK(decode(half, encode(half, 0x1.ffcp-15)) == 0x1p-14);  // from subnormal to normal
}

TEST_CASE("limits of the types are what the formats say") {
  for (const TypeInfo& type : all_types()) {
    if (!type.floating) continue;
    INFO(type.name);
    CHECK(decode(type, encode(type, type.largest)) == type.largest);
    CHECK_FALSE(std::isfinite(decode(type, encode(type, type.largest * 1.5))));
    CHECK(decode(type, 1) == type.smallest);
    CHECK(decode(type, encode(type, type.smallest / 4)) == 0);
  }
  CHECK(std::isnan(decode(type_info(ns_float8_e4m3), 0x7F)));
  CHECK(decode(type_info(ns_float8_e4m3), 0x7E) == 448);
  CHECK(std::isinf(decode(type_info(ns_float8_e5m2), 0x7C)));
}

TEST_CASE("names and numbers lead to each other") {
  for (const TypeInfo& type : all_types()) {
    CHECK(find_type(type.name) == type.type);
    CHECK(type_info(type.type).name == type.name);
  }
  for (const OpInfo& op : all_ops()) CHECK(find_op(op.name) == op.op);
  CHECK_FALSE(find_type("float16").has_value());
  CHECK(std::strcmp(op_name(ns_avg), "avg") == 0);
}

TEST_CASE("integers are widened with their sign") {
  CHECK(signed_value(type_info(ns_int8), 0xFF) == -1);
  CHECK(signed_value(type_info(ns_int32), 0x80000000) == -2147483648LL);
  CHECK(signed_value(type_info(ns_int64), ~uint64_t{0}) == -1);
}

}  // namespace netsense::perf
