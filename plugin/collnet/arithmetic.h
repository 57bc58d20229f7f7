// Reductions on host memory, bit for bit the same on every rank and machine: elements are taken in the order
// of the calls, floats up to 32 bits are summed in f32 and rounded once, at the end.
#pragma once

#include <cstddef>

namespace netsense::collnet {

// ncclDataType_t and ncclRedOp_t, as far as CollNet passes them on (an average comes as a sum of what NCCL
// has scaled).
enum class Type : int {
  kInt8 = 0,
  kUint8 = 1,
  kInt32 = 2,
  kUint32 = 3,
  kInt64 = 4,
  kUint64 = 5,
  kF16 = 6,
  kF32 = 7,
  kF64 = 8,
  kBf16 = 9,
  kF8E4M3 = 10,
  kF8E5M2 = 11,
};
inline constexpr int kTypes = 12;
enum class Op : int { kSum = 0, kProd = 1, kMax = 2, kMin = 3 };
inline constexpr int kOps = 4;

size_t element_bytes(Type type);
// Floats that are summed in f32.
bool sums_in_f32(Type type);

// What a reduction is held in until it is complete: f32 where sums_in_f32(), else the type itself. May be the
// memory of the elements themselves only where both have the same size.
size_t sum_element_bytes(Type type);
// sum = elements
void begin_sum(Type type, const std::byte* elements, size_t count, std::byte* sum);
// sum = sum op elements
void add_to_sum(Type type, Op op, const std::byte* elements, size_t count, std::byte* sum);
// elements = sum, rounded to nearest even
void end_sum(Type type, const std::byte* sum, size_t count, std::byte* elements);

}  // namespace netsense::collnet
