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
#include "kernels/cpu/simd/split_inl.h"

HWY_BEFORE_NAMESPACE();
namespace netsense::kernels::HWY_NAMESPACE {
namespace {

constexpr uint8_t kNothing[kMaxSubBlockElements + kSlack] = {};

constexpr size_t round_up(size_t n, size_t step) {
  return (n + step - 1) / step * step;
}

template <class Byte>
Parts<Byte> parts_of(Work& work, size_t padded) {
  Parts<Byte> parts{work.symbols, work.has_residual, work.high, {}};
  for (size_t plane = 0; plane < kMaxPlanes; ++plane)
    parts.planes[plane] = work.planes + plane * (padded + kSlack);
  return parts;
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
  const Parts<uint8_t> parts = parts_of<uint8_t>(work, padded);
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

// What the residuals of `count` elements take.
size_t residual_bytes(const FloatLayout& layout, uint8_t present, size_t count) {
  const size_t high = (present & kHighFieldBit) != 0 ? packed_bytes(count, layout.high_bits) : 0;
  return high + count * hwy::PopCount(uint64_t{present} & (kHighFieldBit - 1));
}

size_t write_residuals(const FloatLayout& layout, uint8_t present, size_t n, size_t count,
                       const Parts<uint8_t>& parts, uint8_t* out) {
  uint8_t* at = out;
  const auto dense = [&](uint8_t* part) {
    if (count != n) gather_bits(parts.has_residual, part, n, part);
  };
  if ((present & kHighFieldBit) != 0) {
    dense(parts.high);
    at += pack_codes(parts.high, count, layout.high_bits, at);
  }
  for (size_t plane = 0; plane < layout.planes; ++plane) {
    if ((present >> plane & 1) == 0) continue;
    dense(parts.planes[plane]);
    std::memcpy(at, parts.planes[plane], count);
    at += count;
  }
  return static_cast<size_t>(at - out);
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
size_t encode_floats(Tier tier, const SubBlock& what, const uint8_t* elements, Work& work) {
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
  uint8_t* const coded = work.coded;
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
  return bytes +
         write_residuals(layout, result.present, n, count, parts_of<uint8_t>(work, padded), coded + bytes);
}

// Where the residuals' parts are, spread out to a byte per element again; false when there are fewer bytes
// than that.
template <class T>
bool read_residuals(const FloatLayout& layout, uint8_t present, size_t n, size_t padded, size_t count,
                    const uint8_t* in, Work& work, Parts<const uint8_t>* parts) {
  const Parts<uint8_t> own = parts_of<uint8_t>(work, padded);
  *parts = parts_of<const uint8_t>(work, padded);
  const auto spread = [&](const uint8_t* from, uint8_t* to) -> const uint8_t* {
    if (count == n) return from;
    scatter_bits<false>(work.has_residual, from, n, to);
    return to;
  };
  if ((present & kHighFieldBit) != 0) {
    unpack_fields(in, count, layout.high_bits, work.codes);
    parts->high = spread(work.codes, own.high);
    in += packed_bytes(count, layout.high_bits);
  } else {
    parts->high = kNothing;
  }
  for (size_t plane = 0; plane < layout.planes; ++plane) {
    if ((present >> plane & 1) == 0) {
      parts->planes[plane] = kNothing;
      continue;
    }
    parts->planes[plane] = spread(in, own.planes[plane]);
    in += count;
  }
  return true;
}

// A bit for every symbol that has a residual; returns how many do.
size_t find_residuals(size_t n, Work& work) {
  const SymbolTag d;
  const auto first_symbol = hn::Set(d, kFirstSymbol);
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto symbols = hn::LoadU(d, work.symbols + i);
    hn::StoreMaskBits(d, hn::Eq(hn::Max(symbols, first_symbol), symbols), work.has_residual + i / 8);
  }
  clear_bits_from(n, work.has_residual);
  return count_bits(work.has_residual, n);
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
  Parts<const uint8_t> parts;
  read_residuals<T>(layout, present, n, padded, count, in + symbol_bytes, work, &parts);
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

size_t encode_sub_block(Tier tier, const SubBlock& what, const uint8_t* elements, Work& work) {
  const size_t size = float_layout(what.type).bytes;
  const size_t raw_bytes = what.elements * size;
  if (repeats(elements, raw_bytes, size)) {
    const bool zero = std::all_of(elements, elements + size, [](uint8_t byte) { return byte == 0; });
    work.coded[0] = static_cast<uint8_t>(zero ? SubBlockMode::kZero : SubBlockMode::kConstant);
    if (zero) return 1 < raw_bytes ? 1 : 0;
    std::memcpy(work.coded + 1, elements, size);
    return 1 + size < raw_bytes ? 1 + size : 0;
  }
  switch (what.type) {
    case DType::kF32:
      return encode_floats<F32>(tier, what, elements, work);
    case DType::kF16:
      return encode_floats<F16>(tier, what, elements, work);
    case DType::kBf16:
      return encode_floats<Bf16>(tier, what, elements, work);
    case DType::kF64:
      return encode_floats<F64>(tier, what, elements, work);
    case DType::kF8E4M3:
      return encode_floats<F8E4M3>(tier, what, elements, work);
    case DType::kF8E5M2:
      return encode_floats<F8E5M2>(tier, what, elements, work);
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

extern const Backend kBackend;
const Backend kBackend{hwy::TargetName(HWY_TARGET), encode_sub_block, decode_sub_block};

}  // namespace netsense::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace netsense::kernels {
namespace {

// What the compiler was allowed to use for a target (HWY_TARGET_STR in Highway's set_macros-inl.h), as far as
// it differs from CPU to CPU.
bool cpu_has(int64_t target) {
#if HWY_ARCH_X86
  const bool sse4 =
      __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  const bool avx3 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  switch (target) {
    case HWY_SSE4:
      return sse4;
    case HWY_AVX2:
      return avx2;
    case HWY_AVX3:
      return avx3;
    case HWY_AVX3_DL:
      return avx3 && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
             __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vpopcntdq") &&
             __builtin_cpu_supports("vpclmulqdq");
    default:
      break;
  }
#endif
  return target == HWY_STATIC_TARGET;
}

struct Candidate {
  int64_t target;
  const Backend* backend;
};
constexpr Candidate kCandidates[] = {
#if HWY_TARGETS & HWY_AVX3_DL
    {HWY_AVX3_DL, &N_AVX3_DL::kBackend},
#endif
#if HWY_TARGETS & HWY_AVX3
    {HWY_AVX3, &N_AVX3::kBackend},
#endif
#if HWY_TARGETS & HWY_AVX2
    {HWY_AVX2, &N_AVX2::kBackend},
#endif
#if HWY_TARGETS & HWY_SSE4
    {HWY_SSE4, &N_SSE4::kBackend},
#endif
    {HWY_STATIC_TARGET, &HWY_NAMESPACE::kBackend},
};

struct Usable {
  std::array<const Backend*, std::size(kCandidates)> list{};
  size_t count = 0;

  Usable() {
    for (const Candidate& candidate : kCandidates) {
      if (cpu_has(candidate.target)) list[count++] = candidate.backend;
    }
  }
};

}  // namespace

std::span<const Backend* const> backends() {
  static const Usable usable;
  return std::span(usable.list).first(usable.count);
}

const char* backend_name(const Backend& backend) {
  return backend.name;
}

}  // namespace netsense::kernels
#endif  // HWY_ONCE
