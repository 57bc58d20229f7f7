// One instruction set's versions of the loops of lossy coding and of conversion. No pointer need be aligned.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/lossy.h"
#include "kernels/format.h"

namespace netsense::kernels {

// The bits of |x| order as |x| does.
constexpr uint32_t kMagnitudeBits = 0x7fffffff;

struct Survey {
  uint32_t largest;  // bits of the largest magnitude
  double energy;     // sum of squares
};

struct LossyKernels {
  Survey (*survey)(const float* values, size_t n);

  // Codes n elements into quantised_bytes(n, bits) bytes and leaves in their place what was lost. No
  // magnitude may be above kMaxScale.
  void (*quantise)(unsigned bits, Rounding rounding, uint64_t seed, float* values, size_t n, uint8_t* out);
  // The reverse, added to what is there or not; false where a scale or a code is none.
  bool (*dequantise)(unsigned bits, const uint8_t* in, size_t n, float* values, bool add);

  // A bit for each element whose magnitude has bits of `least` (1 or more) or above; whole 64 bits are
  // written.
  void (*mark)(const float* values, size_t n, uint32_t least, uint8_t* bitmap);
  // The magnitudes with bits of `least` (1 or more) or above, in any order; returns how many. Writes up to 64
  // bytes more.
  size_t (*collect)(const float* values, size_t n, uint32_t least, uint32_t* out);
  // How many of n magnitudes are `least` or above. They are padded with zeros to a multiple of 16.
  size_t (*count)(const uint32_t* magnitudes, size_t n, uint32_t least);
  // The sum of gap / divisor, rounded down each. Gaps are padded with zeros to a multiple of 16.
  size_t (*sum_quotients)(const uint16_t* gaps, size_t n, uint32_t divisor);

  // A packed field of fields of up to 15 bits, their low and their high bytes, padded with 8 zeros.
  void (*pack)(const uint8_t* low, const uint8_t* high, size_t n, unsigned width, uint8_t* out);
  // The reverse; high is written where width is above 8. Writes up to 32 bytes behind both.
  void (*unpack)(const uint8_t* in, size_t n, unsigned width, uint8_t* low, uint8_t* high);

  // kF16 and kBf16 to f32 and back; to f32 also kF32.
  void (*widen)(DType type, const uint8_t* src, size_t n, float* dst, bool add);
  void (*narrow)(DType type, const float* src, size_t n, uint8_t* dst);
};

}  // namespace netsense::kernels
