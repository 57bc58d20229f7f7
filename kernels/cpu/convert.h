// The types of gradients to f32, in which sums are made, and back. The bits are the same with every
// instruction set. Every pointer may have any alignment; source and destination must not overlap.
#pragma once

#include <cstddef>

#include "kernels/format.h"

namespace netsense::kernels {

struct Backend;

// n elements of `type` to f32: exact. NaNs of 16 bits become quiet and keep their payload. False, and nothing
// is written, for a type other than kF32, kF16 and kBf16.
bool to_f32(DType type, const void* src, size_t n, float* dst);
bool to_f32(const Backend& backend, DType type, const void* src, size_t n, float* dst);

// The reverse: to the nearest, ties to even; what is too large becomes infinite, NaNs of 16 bits quiet.
bool from_f32(DType type, const float* src, size_t n, void* dst);
bool from_f32(const Backend& backend, DType type, const float* src, size_t n, void* dst);

// sum[i] += src[i]. The payload of a NaN is unspecified.
bool add_f32(DType type, const void* src, size_t n, float* sum);
bool add_f32(const Backend& backend, DType type, const void* src, size_t n, float* sum);

}  // namespace netsense::kernels
