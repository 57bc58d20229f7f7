// Coding of one sub-block, compiled once per instruction set by including itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/sub_block.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "kernels/cpu/backend.h"
#include "kernels/cpu/bytes.h"
#include "kernels/cpu/simd/levels_inl.h"
#include "kernels/cpu/simd/rans_inl.h"
#include "kernels/cpu/simd/residuals_inl.h"
#include "kernels/cpu/simd/split_inl.h"

HWY_BEFORE_NAMESPACE();
namespace netsense::kernels::HWY_NAMESPACE {
namespace {

constexpr size_t round_up(size_t n, size_t step) {
  return (n + step - 1) / step * step;
}

// The smallest exponent of elements that are no zeros, if all of them fit above it; false otherwise.
template <class T>
bool find_base(const uint8_t* elements, size_t n, const FloatLayout& layout, uint32_t* base) {
  uint32_t smallest = UINT32_MAX;
  uint32_t largest = 0;
  for (size_t i = 0; i < n; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, elements + i * T::kBytes, T::kBytes);
    const uint64_t magnitude = bits & ((uint64_t{1} << (8 * T::kBytes - 1)) - 1);
    if (magnitude == 0) continue;
    const auto exponent = static_cast<uint32_t>(magnitude >> layout.mantissa_bits);
    smallest = std::min(smallest, exponent);
    largest = std::max(largest, exponent);
  }
  *base = largest < kSymbolSpan ? 0 : smallest;
  return largest - *base < kSymbolSpan;
}

// Cuts the elements into work; false when their exponents are too far apart.
template <class T>
bool split_elements(const SubBlock& what, const uint8_t* elements, size_t padded, Work& work,
                    SplitResult* result, uint32_t* base) {
  const FloatLayout layout = float_layout(what.type);
  const Parts<uint8_t> parts = parts_of<uint8_t>(layout, work, padded);
  *base = 0;
  if (T::kBytes == 8) {
    // An exponent does not fit in a byte, so the base is needed first.
    if (!find_base<T>(elements, what.elements, layout, base)) return false;
    *result = split<T>(elements, padded, *base, parts);
    return true;
  }
  *result = split<T>(elements, padded, 0, parts);
  if (result->fits_bytes) return true;
  if (!find_base<T>(elements, what.elements, layout, base)) return false;
  *result = split<T>(elements, padded, *base, parts);
  return true;
}

Counts sample_symbols(const uint8_t* symbols, size_t n, size_t* samples) {
  uint8_t sample[kMaxSubBlockElements / kSampleStride * kSampleRun];
  *samples = 0;
  for (size_t i = 0; i < n; i += kSampleStride) {
    const size_t run = std::min(kSampleRun, n - i);
    std::memcpy(sample + *samples, symbols + i, run);
    *samples += run;
  }
  return count_symbols(sample, *samples);
}

template <class T>
size_t encode_floats(Tier tier, const SubBlock& what, const uint8_t* elements, Work& work, uint8_t* coded) {
  const size_t n = what.elements;
  const size_t raw_bytes = n * T::kBytes;
  const size_t padded = round_up(n, kRun);
  const uint8_t* padded_elements = elements;
  if (padded != n) {
    std::memcpy(work.elements, elements, raw_bytes);
    std::memset(work.elements + raw_bytes, 0, (padded - n) * T::kBytes);
    padded_elements = work.elements;
  }
  SplitResult result;
  uint32_t base;
  if (!split_elements<T>(what, padded_elements, padded, work, &result, &base)) return 0;

  const FloatLayout layout = float_layout(what.type);
  const size_t count = count_bits(work.has_residual, padded);
  coded[1] = result.present;
  store_le(coded + 2, static_cast<uint16_t>(base));
  store_le(coded + 4, static_cast<uint16_t>(count));

  size_t samples = n;
  const Counts counts =
      tier == Tier::kFast ? sample_symbols(work.symbols, n, &samples) : count_symbols(work.symbols, n);
  const LevelsChoice choice = choose_levels(counts, samples);
  SubBlockMode mode = SubBlockMode::kLevels;
  size_t bytes = kFloatHeaderBytes;
  if (tier == Tier::kTight) {
    mode = SubBlockMode::kRans;
    const size_t rans_bytes = encode_rans(counts, n, work, coded + bytes);
    // Few elements do not pay for the states.
    if (kLevelsHeaderBytes - kFloatHeaderBytes + choice.bits / 8 < rans_bytes) {
      mode = SubBlockMode::kLevels;
    } else {
      bytes += rans_bytes;
    }
  }
  if (mode == SubBlockMode::kLevels) bytes += encode_levels(choice.levels, n, work, coded + bytes);
  coded[0] = static_cast<uint8_t>(mode);

  if (bytes + residual_bytes(layout, result.present, count) >= raw_bytes) return 0;
  return bytes + write_residuals(layout, result.present, n, count, parts_of<uint8_t>(layout, work, padded),
                                 coded + bytes);
}

template <class T>
bool decode_floats(const SubBlock& what, const uint8_t* coded, size_t bytes, Work& work, uint8_t* elements) {
  const size_t n = what.elements;
  const size_t raw_bytes = n * T::kBytes;
  const FloatLayout layout = float_layout(what.type);
  if (bytes < kFloatHeaderBytes || bytes > raw_bytes) return false;
  // A copy, because registers are filled beyond the end.
  std::memcpy(work.coded, coded, bytes);
  const uint8_t* in = work.coded;
  const auto mode = static_cast<SubBlockMode>(in[0]);
  const uint8_t present = in[1];
  const uint32_t base = load_le<uint16_t>(in + 2);
  const size_t count = load_le<uint16_t>(in + 4);
  const unsigned possible = ((1u << layout.planes) - 1) | (layout.high_bits != 0 ? kHighFieldBit : 0);
  if ((present & ~possible) != 0 || count > n) return false;
  const size_t residuals = residual_bytes(layout, present, count);
  if (bytes < kFloatHeaderBytes + residuals) return false;
  const size_t symbol_bytes = bytes - kFloatHeaderBytes - residuals;
  in += kFloatHeaderBytes;
  if (!(mode == SubBlockMode::kRans ? decode_rans(in, symbol_bytes, n, work)
                                    : decode_levels(in, symbol_bytes, n, work))) {
    return false;
  }
  if (find_residuals(n, work) != count) return false;

  const size_t padded = round_up(n, kRun);
  const Parts<const uint8_t> parts =
      read_residuals(layout, present, n, padded, count, in + symbol_bytes, work);
  if (padded == n) {
    merge<T>(parts, n, base, elements);
  } else {
    merge<T>(parts, padded, base, work.elements);
    std::memcpy(elements, work.elements, raw_bytes);
  }
  return true;
}

// Whether `bytes` bytes repeat their first `period`.
bool repeats(const uint8_t* data, size_t bytes, size_t period) {
  return std::memcmp(data, data + period, bytes - period) == 0;
}

size_t encode_sub_block(Tier tier, const SubBlock& what, const uint8_t* elements, Work& work,
                        uint8_t* coded) {
  const size_t size = float_layout(what.type).bytes;
  const size_t raw_bytes = what.elements * size;
  if (repeats(elements, raw_bytes, size)) {
    const bool zero = std::all_of(elements, elements + size, [](uint8_t byte) { return byte == 0; });
    coded[0] = static_cast<uint8_t>(zero ? SubBlockMode::kZero : SubBlockMode::kConstant);
    if (zero) return 1 < raw_bytes ? 1 : 0;
    std::memcpy(coded + 1, elements, size);
    return 1 + size < raw_bytes ? 1 + size : 0;
  }
  switch (what.type) {
    case DType::kF32:
      return encode_floats<F32>(tier, what, elements, work, coded);
    case DType::kF16:
      return encode_floats<F16>(tier, what, elements, work, coded);
    case DType::kBf16:
      return encode_floats<Bf16>(tier, what, elements, work, coded);
    case DType::kF64:
      return encode_floats<F64>(tier, what, elements, work, coded);
    case DType::kF8E4M3:
      return encode_floats<F8E4M3>(tier, what, elements, work, coded);
    case DType::kF8E5M2:
      return encode_floats<F8E5M2>(tier, what, elements, work, coded);
    case DType::kBytes:
      break;
  }
  return 0;
}

bool decode_sub_block(const SubBlock& what, const uint8_t* coded, size_t bytes, Work& work,
                      uint8_t* elements) {
  const size_t size = float_layout(what.type).bytes;
  const size_t raw_bytes = what.elements * size;
  if (bytes == 0) return false;
  switch (static_cast<SubBlockMode>(coded[0])) {
    case SubBlockMode::kRaw:
      if (bytes != 1 + raw_bytes) return false;
      std::memcpy(elements, coded + 1, raw_bytes);
      return true;
    case SubBlockMode::kZero:
      std::memset(elements, 0, raw_bytes);
      return bytes == 1;
    case SubBlockMode::kConstant:
      if (bytes != 1 + size) return false;
      repeat(coded + 1, size, elements, raw_bytes);
      return true;
    case SubBlockMode::kLevels:
    case SubBlockMode::kRans:
      break;
    default:
      return false;
  }
  switch (what.type) {
    case DType::kF32:
      return decode_floats<F32>(what, coded, bytes, work, elements);
    case DType::kF16:
      return decode_floats<F16>(what, coded, bytes, work, elements);
    case DType::kBf16:
      return decode_floats<Bf16>(what, coded, bytes, work, elements);
    case DType::kF64:
      return decode_floats<F64>(what, coded, bytes, work, elements);
    case DType::kF8E4M3:
      return decode_floats<F8E4M3>(what, coded, bytes, work, elements);
    case DType::kF8E5M2:
      return decode_floats<F8E5M2>(what, coded, bytes, work, elements);
    case DType::kBytes:
      break;
  }
  return false;
}

}  // namespace

extern const LossyKernels kLossyKernels;  // lossy_kernels.cc
extern const Backend kBackend;
constinit const Backend kBackend{&HWY_STR(HWY_NAMESPACE)[2], encode_sub_block, decode_sub_block,
                                 &kLossyKernels};  // without its N_

}  // namespace netsense::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
