#include "tests/engine/matrix/number.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace netsense::engine_test {
namespace {

// A small binary floating-point format: sign, exponent, mantissa.
struct Format {
  int exponent_bits;
  int mantissa_bits;
  [[nodiscard]] int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};

constexpr Format kHalf{5, 10};
constexpr Format kBfloat{8, 7};
constexpr Format kE4m3{4, 3};
constexpr Format kE5m2{5, 2};

double decode(Format format, uint32_t bits) {
  const uint32_t mantissa = bits & ((1U << format.mantissa_bits) - 1);
  const auto exponent = static_cast<int>((bits >> format.mantissa_bits) & ((1U << format.exponent_bits) - 1));
  const bool negative = ((bits >> (format.mantissa_bits + format.exponent_bits)) & 1U) != 0;
  const bool subnormal = exponent == 0;
  const double fraction = std::ldexp(mantissa, -format.mantissa_bits) + (subnormal ? 0 : 1);
  const double value = std::ldexp(fraction, (subnormal ? 1 : exponent) - format.bias());
  return negative ? -value : value;
}

uint32_t encode(Format format, double value) {
  const uint32_t sign = std::signbit(value) ? 1U << (format.mantissa_bits + format.exponent_bits) : 0;
  if (value == 0) return sign;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // in [0.5, 1)
  const auto mantissa = static_cast<uint32_t>(std::ldexp(2 * fraction - 1, format.mantissa_bits));
  return sign | (static_cast<uint32_t>(exponent - 1 + format.bias()) << format.mantissa_bits) | mantissa;
}

template <typename T>
double load_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<double>(value);
}

template <typename T>
void store_as(double value, std::byte* to) {
  const T stored = static_cast<T>(value);
  std::memcpy(to, &stored, sizeof stored);
}

template <typename Bits>
double load_small(Format format, const std::byte* from) {
  Bits bits;
  std::memcpy(&bits, from, sizeof bits);
  return decode(format, bits);
}

template <typename Bits>
void store_small(Format format, double value, std::byte* to) {
  const auto bits = static_cast<Bits>(encode(format, value));
  std::memcpy(to, &bits, sizeof bits);
}

}  // namespace

bool is_integer(ns_type type) {
  return type <= ns_uint64;
}

bool is_signed(ns_type type) {
  return type != ns_uint8 && type != ns_uint32 && type != ns_uint64;
}

double epsilon(ns_type type) {
  switch (type) {
    case ns_float16:
      return std::ldexp(1, -kHalf.mantissa_bits);
    case ns_bfloat16:
      return std::ldexp(1, -kBfloat.mantissa_bits);
    case ns_float8_e4m3:
      return std::ldexp(1, -kE4m3.mantissa_bits);
    case ns_float8_e5m2:
      return std::ldexp(1, -kE5m2.mantissa_bits);
    case ns_float32:
      return std::numeric_limits<float>::epsilon();
    case ns_float64:
      return std::numeric_limits<double>::epsilon();
    default:
      return 0;
  }
}

double load_number(ns_type type, const std::byte* from) {
  switch (type) {
    case ns_int8:
      return load_as<int8_t>(from);
    case ns_uint8:
      return load_as<uint8_t>(from);
    case ns_int32:
      return load_as<int32_t>(from);
    case ns_uint32:
      return load_as<uint32_t>(from);
    case ns_int64:
      return load_as<int64_t>(from);
    case ns_uint64:
      return load_as<uint64_t>(from);
    case ns_float16:
      return load_small<uint16_t>(kHalf, from);
    case ns_bfloat16:
      return load_small<uint16_t>(kBfloat, from);
    case ns_float8_e4m3:
      return load_small<uint8_t>(kE4m3, from);
    case ns_float8_e5m2:
      return load_small<uint8_t>(kE5m2, from);
    case ns_float32:
      return load_as<float>(from);
    default:
      return load_as<double>(from);
  }
}

void store_number(ns_type type, double value, std::byte* to) {
  switch (type) {
    case ns_int8:
      return store_as<int8_t>(value, to);
    case ns_uint8:
      return store_as<uint8_t>(value, to);
    case ns_int32:
      return store_as<int32_t>(value, to);
    case ns_uint32:
      return store_as<uint32_t>(value, to);
    case ns_int64:
      return store_as<int64_t>(value, to);
    case ns_uint64:
      return store_as<uint64_t>(value, to);
    case ns_float16:
      return store_small<uint16_t>(kHalf, value, to);
    case ns_bfloat16:
      return store_small<uint16_t>(kBfloat, value, to);
    case ns_float8_e4m3:
      return store_small<uint8_t>(kE4m3, value, to);
    case ns_float8_e5m2:
      return store_small<uint8_t>(kE5m2, value, to);
    case ns_float32:
      return store_as<float>(value, to);
    default:
      return store_as<double>(value, to);
  }
}

double wrap(ns_type type, int64_t value) {
  switch (type) {
    case ns_int8:
      return static_cast<int8_t>(value);
    case ns_uint8:
      return static_cast<uint8_t>(value);
    case ns_int32:
      return static_cast<int32_t>(value);
    case ns_uint32:
      return static_cast<uint32_t>(value);
    default:
      return static_cast<double>(value);
  }
}

const char* type_name(ns_type type) {
  static constexpr std::array<const char*, ns_num_types> kNames{
      "int8",    "uint8",   "int32",   "uint32",   "int64",       "uint64",
      "float16", "float32", "float64", "bfloat16", "float8_e4m3", "float8_e5m2"};
  return kNames.at(static_cast<size_t>(type));
}

const char* op_name(ns_op op) {
  static constexpr std::array<const char*, ns_num_ops> kNames{"sum", "prod", "max", "min", "avg"};
  return kNames.at(static_cast<size_t>(op));
}

}  // namespace netsense::engine_test
