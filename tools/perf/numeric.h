// The element types of NCCL as numbers: independent of the code under test, so that an error there shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tools/engine/ns_engine.h"

namespace netsense::perf {

// How a type is laid out: sign, exponent and significand bits as in IEEE 754, the OCP 8-bit formats and
// bfloat16.
struct TypeInfo {
  ns_type type;
  const char* name;  // as nccl-tests calls it
  int bytes;
  bool floating;
  bool is_signed;
  int exponent_bits;     // 0 for integers
  int significand_bits;  // stored bits, without the hidden one
  bool finite_only;      // E4M3: no infinity, and only the all-ones pattern is NaN
  double largest;        // largest finite value
  double smallest;       // smallest positive subnormal value
};

struct OpInfo {
  ns_op op;
  const char* name;
};

[[nodiscard]] std::span<const TypeInfo> all_types();
[[nodiscard]] std::span<const OpInfo> all_ops();
[[nodiscard]] const TypeInfo& type_info(ns_type type);
[[nodiscard]] const char* op_name(ns_op op);
// Null option when there is no such name.
[[nodiscard]] std::optional<ns_type> find_type(std::string_view name);
[[nodiscard]] std::optional<ns_op> find_op(std::string_view name);

// Relative rounding error of one operation (half a unit in the last place); 0 for integers.
[[nodiscard]] double unit_roundoff(const TypeInfo& type);
// Every whole number up to this magnitude is exact in the type.
[[nodiscard]] double exact_integer_limit(const TypeInfo& type);

// The bits of one element, in the low bytes.
[[nodiscard]] uint64_t load_bits(const TypeInfo& type, const std::byte* from);
void store_bits(const TypeInfo& type, uint64_t bits, std::byte* to);

// The value of a floating-point element; NaN and infinities map to double's.
[[nodiscard]] double decode(const TypeInfo& type, uint64_t bits);
// Nearest value of the type, ties to even. Beyond the largest value: infinity, or NaN in a type that has
// none.
[[nodiscard]] uint64_t encode(const TypeInfo& type, double value);

// An integer element widened with its sign.
[[nodiscard]] int64_t signed_value(const TypeInfo& type, uint64_t bits);

}  // namespace netsense::perf
