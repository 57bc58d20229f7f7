// Arithmetic of the reductions, as NCCL's kernels do it: after each pair of operands the result is rounded to
// the type. An average of floating-point numbers multiplies every input by 1/ranks first, one of integers
// divides the sum at the end.
#pragma once

#include <cstddef>

#include "tools/engine/ns_engine.h"

namespace netsense::engine {

struct Arithmetic {
  using Reduce = void (*)(void* accumulator, const void* operand, size_t count);
  using Scale = void (*)(void* values, size_t count, int ranks);

  Reduce reduce = nullptr;
  Scale pre = nullptr;   // on what comes from the user's input; null: nothing to do
  Scale post = nullptr;  // on the final result; null: nothing to do
  size_t element = 1;    // bytes
  int ranks = 1;
};

Arithmetic arithmetic_for(ns_type type, ns_op op, int ranks);

}  // namespace netsense::engine
