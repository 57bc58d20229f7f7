// The twelve number formats as doubles, for a reference that shares no code with the engine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/engine/ns_engine.h"

namespace netsense::engine_test {

[[nodiscard]] bool is_integer(ns_type type);
[[nodiscard]] bool is_signed(ns_type type);

// Distance between 1 and the next larger number of a floating-point type.
[[nodiscard]] double epsilon(ns_type type);

double load_number(ns_type type, const std::byte* from);

// The value must be a number of the type.
void store_number(ns_type type, double value, std::byte* to);

// What is left of an integer result that does not fit: NCCL's integers wrap.
double wrap(ns_type type, int64_t value);

const char* type_name(ns_type type);
const char* op_name(ns_op op);

}  // namespace netsense::engine_test
