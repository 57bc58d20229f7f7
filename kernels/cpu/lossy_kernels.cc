// The loops of lossy coding and of conversion, compiled once per instruction set by including itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/lossy_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/lossy_kernels.h"
#include "kernels/cpu/simd/convert_inl.h"
#include "kernels/cpu/simd/groups_inl.h"
#include "kernels/cpu/simd/quantise_inl.h"
#include "kernels/cpu/simd/select_inl.h"

HWY_BEFORE_NAMESPACE();
namespace netsense::kernels::HWY_NAMESPACE {
namespace {

Survey survey(const float* values, size_t n) {
  return survey_values(values, n);
}

void quantise(unsigned bits, Rounding rounding, uint64_t seed, float* values, size_t n, uint8_t* out) {
  quantise_values(bits, rounding, seed, values, n, out);
}

bool dequantise(unsigned bits, const uint8_t* in, size_t n, float* values, bool add) {
  return add ? dequantise_values<true>(bits, in, n, values) : dequantise_values<false>(bits, in, n, values);
}

void mark(const float* values, size_t n, uint32_t least, uint8_t* bitmap) {
  mark_values(values, n, least, bitmap);
}

size_t collect(const float* values, size_t n, uint32_t least, uint32_t* out) {
  return collect_magnitudes(values, n, least, out);
}

size_t count(const uint32_t* magnitudes, size_t n, uint32_t least) {
  return count_magnitudes(magnitudes, n, least);
}

size_t sum_quotients(const uint16_t* gaps, size_t n, uint32_t divisor) {
  return sum_of_quotients(gaps, n, divisor);
}

void pack(const uint8_t* low, const uint8_t* high, size_t n, unsigned width, uint8_t* out) {
  pack_wide(low, high, n, width, out);
}

void unpack(const uint8_t* in, size_t n, unsigned width, uint8_t* low, uint8_t* high) {
  unpack_wide(in, n, width, low, high);
}

template <bool kAdd>
void widen_type(DType type, const uint8_t* src, size_t n, float* dst) {
  switch (type) {
    case DType::kF32:
      return widen_values<WidenF32, kAdd>(src, n, dst);
    case DType::kF16:
      return widen_values<WidenF16, kAdd>(src, n, dst);
    case DType::kBf16:
      return widen_values<WidenBf16, kAdd>(src, n, dst);
    default:
      return;
  }
}

void widen(DType type, const uint8_t* src, size_t n, float* dst, bool add) {
  return add ? widen_type<true>(type, src, n, dst) : widen_type<false>(type, src, n, dst);
}

void narrow(DType type, const float* src, size_t n, uint8_t* dst) {
  if (type == DType::kF16) return narrow_values<NarrowF16>(src, n, dst);
  if (type == DType::kBf16) return narrow_values<NarrowBf16>(src, n, dst);
}

}  // namespace

extern const LossyKernels kLossyKernels;
constinit const LossyKernels kLossyKernels{survey,        quantise, dequantise, mark,  collect, count,
                                           sum_quotients, pack,     unpack,     widen, narrow};

}  // namespace netsense::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
