#include "tools/perf/numeric.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "tools/perf/error.h"

namespace netsense::perf {
namespace {

constexpr double kNone = 0;

constexpr std::array<TypeInfo, 12> kTypes{{
    {ns_int8, "int8", 1, false, true, 0, 0, false, 127.0, kNone},
    {ns_uint8, "uint8", 1, false, false, 0, 0, false, 255.0, kNone},
    {ns_int32, "int32", 4, false, true, 0, 0, false, 2147483647.0, kNone},
    {ns_uint32, "uint32", 4, false, false, 0, 0, false, 4294967295.0, kNone},
    {ns_int64, "int64", 8, false, true, 0, 0, false, 9223372036854775807.0, kNone},
    {ns_uint64, "uint64", 8, false, false, 0, 0, false, 18446744073709551615.0, kNone},
    {ns_float16, "half", 2, true, true, 5, 10, false, 65504.0, 0x1p-24},
    {ns_float32, "float", 4, true, true, 8, 23, false, std::numeric_limits<float>::max(), 0x1p-149},
    {ns_float64, "double", 8, true, true, 11, 52, false, std::numeric_limits<double>::max(), 0x1p-1074},
    {ns_bfloat16, "bfloat16", 2, true, true, 8, 7, false, 0x1.fep127, 0x1p-133},
    {ns_float8_e4m3, "f8e4m3", 1, true, true, 4, 3, true, 448.0, 0x1p-9},
    {ns_float8_e5m2, "f8e5m2", 1, true, true, 5, 2, false, 57344.0, 0x1p-16},
}};

constexpr std::array<OpInfo, 5> kOps{
    {{ns_sum, "sum"}, {ns_prod, "prod"}, {ns_max, "max"}, {ns_min, "min"}, {ns_avg, "avg"}}};

int bias(const TypeInfo& type) {
  return (1 << (type.exponent_bits - 1)) - 1;
}

uint64_t nan_bits(const TypeInfo& type) {
  const uint64_t exponent = ((uint64_t{1} << type.exponent_bits) - 1) << type.significand_bits;
  const uint64_t significand = (uint64_t{1} << type.significand_bits) - 1;
  return exponent | (type.finite_only ? significand : uint64_t{1} << (type.significand_bits - 1));
}

uint64_t overflow_bits(const TypeInfo& type) {
  return type.finite_only ? nan_bits(type)
                          : ((uint64_t{1} << type.exponent_bits) - 1) << type.significand_bits;
}

}  // namespace

std::span<const TypeInfo> all_types() {
  return kTypes;
}
std::span<const OpInfo> all_ops() {
  return kOps;
}

const TypeInfo& type_info(ns_type type) {
  for (const TypeInfo& info : kTypes) {
    if (info.type == type) return info;
  }
  throw Error("unknown data type number {}", static_cast<int>(type));
}

const char* op_name(ns_op op) {
  for (const OpInfo& info : kOps) {
    if (info.op == op) return info.name;
  }
  throw Error("unknown reduction number {}", static_cast<int>(op));
}

std::optional<ns_type> find_type(std::string_view name) {
  for (const TypeInfo& info : kTypes) {
    if (name == info.name) return info.type;
  }
  return std::nullopt;
}

std::optional<ns_op> find_op(std::string_view name) {
  for (const OpInfo& info : kOps) {
    if (name == info.name) return info.op;
  }
  return std::nullopt;
}

double unit_roundoff(const TypeInfo& type) {
  return type.floating ? std::ldexp(1.0, -(type.significand_bits + 1)) : 0;
}

double exact_integer_limit(const TypeInfo& type) {
  return type.floating ? std::ldexp(1.0, type.significand_bits + 1) : type.largest;
}

uint64_t load_bits(const TypeInfo& type, const std::byte* from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, static_cast<size_t>(type.bytes));
  return bits;
}

void store_bits(const TypeInfo& type, uint64_t bits, std::byte* to) {
  std::memcpy(to, &bits, static_cast<size_t>(type.bytes));
}

double decode(const TypeInfo& type, uint64_t bits) {
  const int exponent_max = (1 << type.exponent_bits) - 1;
  const auto exponent = static_cast<int>(bits >> type.significand_bits) & exponent_max;
  const uint64_t significand_mask = (uint64_t{1} << type.significand_bits) - 1;
  const uint64_t significand = bits & significand_mask;
  const double sign = (bits >> (type.exponent_bits + type.significand_bits) & 1) != 0 ? -1.0 : 1.0;
  if (exponent == exponent_max) {
    if (type.finite_only) {
      if (significand == significand_mask) return std::numeric_limits<double>::quiet_NaN();
    } else {
      return significand != 0 ? std::numeric_limits<double>::quiet_NaN()
                              : sign * std::numeric_limits<double>::infinity();
    }
  }
  const int lowest = 1 - bias(type) - type.significand_bits;  // weight of the last bit of a subnormal
  if (exponent == 0) return sign * std::ldexp(static_cast<double>(significand), lowest);
  const uint64_t whole = significand | (uint64_t{1} << type.significand_bits);
  return sign * std::ldexp(static_cast<double>(whole), lowest + exponent - 1);
}

uint64_t encode(const TypeInfo& type, double value) {
  const uint64_t sign = std::signbit(value) ? uint64_t{1} << (type.exponent_bits + type.significand_bits) : 0;
  if (std::isnan(value)) return sign | nan_bits(type);
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | overflow_bits(type);
  if (magnitude == 0) return sign;
  const int lowest_exponent = 1 - bias(type);
  const int exponent = std::max(std::ilogb(magnitude), lowest_exponent);
  // Counted in units of the last place the number is whole after rounding; nearbyint rounds ties to even.
  const double units = std::nearbyint(std::ldexp(magnitude, type.significand_bits - exponent));
  if (std::ldexp(units, exponent - type.significand_bits) > type.largest) return sign | overflow_bits(type);
  const auto whole = static_cast<uint64_t>(units);
  // The hidden bit, when present, carries into the exponent field: a rounding overflow does so by itself.
  const auto steps = static_cast<uint64_t>(exponent - lowest_exponent) << type.significand_bits;
  return sign | (steps + whole);
}

int64_t signed_value(const TypeInfo& type, uint64_t bits) {
  const int unused = 64 - 8 * type.bytes;
  return static_cast<int64_t>(bits << unused) >> unused;
}

}  // namespace netsense::perf
