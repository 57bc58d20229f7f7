// The residuals of a sub-block: gathered from the elements that have one, and spread to them. Compiled once
// per instruction set.
#if defined(NETSENSE_KERNELS_RESIDUALS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NETSENSE_KERNELS_RESIDUALS_INL_H
#undef NETSENSE_KERNELS_RESIDUALS_INL_H
#else
#define NETSENSE_KERNELS_RESIDUALS_INL_H
#endif

#include <hwy/highway.h>

#include <cstring>

#include "kernels/cpu/simd/levels_inl.h"
#include "kernels/cpu/simd/split_inl.h"
#include "kernels/cpu/work.h"

HWY_BEFORE_NAMESPACE();
namespace netsense::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A part that is not sent.
constexpr uint8_t kNothing[kMaxSubBlockElements + kSlack] = {};

template <class Byte>
HWY_INLINE Parts<Byte> parts_of(const FloatLayout& layout, Work& work, size_t padded) {
  Parts<Byte> parts{work.symbols, work.has_residual, work.high, {}};
  for (size_t plane = 0; plane < layout.planes; ++plane)
    parts.planes[plane] = work.planes + plane * (padded + kSlack);
  return parts;
}

// What the residuals of `count` elements take.
HWY_INLINE size_t residual_bytes(const FloatLayout& layout, uint8_t present, size_t count) {
  const size_t high = (present & kHighFieldBit) != 0 ? packed_bytes(count, layout.high_bits) : 0;
  return high + count * hwy::PopCount(uint64_t{present} & (kHighFieldBit - 1));
}

HWY_INLINE size_t write_residuals(const FloatLayout& layout, uint8_t present, size_t n, size_t count,
                                  const Parts<uint8_t>& parts, uint8_t* out) {
  uint8_t* at = out;
  if ((present & kHighFieldBit) != 0) {
    if (count != n) gather_bits(parts.has_residual, parts.high, n, parts.high);
    at += pack_codes(parts.high, count, layout.high_bits, at);
  }
  for (size_t plane = 0; plane < layout.planes; ++plane) {
    if ((present >> plane & 1) == 0) continue;
    if (count == n) {
      std::memcpy(at, parts.planes[plane], n);
    } else {
      gather_bits(parts.has_residual, parts.planes[plane], n, at);
    }
    at += count;
  }
  return static_cast<size_t>(at - out);
}

// A bit for every symbol that has a residual; returns how many do.
HWY_INLINE size_t find_residuals(size_t n, Work& work) {
  const SymbolTag d;
  const auto first_symbol = hn::Set(d, kFirstSymbol);
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto symbols = hn::LoadU(d, work.symbols + i);
    hn::StoreMaskBits(d, hn::Eq(hn::Max(symbols, first_symbol), symbols), work.has_residual + i / 8);
  }
  clear_bits_from(n, work.has_residual);
  return count_bits(work.has_residual, n);
}

// Where the residuals' parts are, spread out to a byte per element again; false when there are fewer bytes
// than that.
HWY_INLINE Parts<const uint8_t> read_residuals(const FloatLayout& layout, uint8_t present, size_t n,
                                               size_t padded, size_t count, const uint8_t* in, Work& work) {
  const Parts<uint8_t> own = parts_of<uint8_t>(layout, work, padded);
  Parts<const uint8_t> parts = parts_of<const uint8_t>(layout, work, padded);
  const auto spread = [&](const uint8_t* from, uint8_t* to) -> const uint8_t* {
    if (count == n) return from;
    scatter_bits<false>(work.has_residual, from, n, to);
    return to;
  };
  if ((present & kHighFieldBit) != 0) {
    unpack_fields(in, count, layout.high_bits, work.codes);
    parts.high = spread(work.codes, own.high);
    in += packed_bytes(count, layout.high_bits);
  } else {
    parts.high = kNothing;
  }
  for (size_t plane = 0; plane < layout.planes; ++plane) {
    if ((present >> plane & 1) == 0) {
      parts.planes[plane] = kNothing;
      continue;
    }
    parts.planes[plane] = spread(in, own.planes[plane]);
    in += count;
  }
  return parts;
}

}  // namespace netsense::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
