// Inputs and double-precision results of reductions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tools/engine/ns_engine.h"

namespace netsense::engine_test {

// A number of the type, the same on every machine: small enough that no reduction of up to 8 of them leaves
// the range of the smallest type, except for integers, which wrap.
double input_number(ns_type type, ns_op op, uint64_t seed, int rank, size_t index);

struct Reduced {
  double value = 0;
  // How far an implementation may be off that rounds after each step, in any order.
  double tolerance = 0;
};

Reduced reduce_numbers(ns_type type, ns_op op, std::span<const double> inputs);

}  // namespace netsense::engine_test
