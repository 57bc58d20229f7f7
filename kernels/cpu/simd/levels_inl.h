// The symbols of a kLevels sub-block. Compiled once per instruction set.
#if defined(NETSENSE_KERNELS_LEVELS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NETSENSE_KERNELS_LEVELS_INL_H
#undef NETSENSE_KERNELS_LEVELS_INL_H
#else
#define NETSENSE_KERNELS_LEVELS_INL_H
#endif

#include <hwy/highway.h>

#include <cstring>

#include "kernels/cpu/levels.h"
#include "kernels/cpu/simd/bits_inl.h"
#include "kernels/cpu/simd/fields_inl.h"
#include "kernels/cpu/work.h"

HWY_BEFORE_NAMESPACE();
namespace netsense::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using SymbolTag = hn::CappedTag<uint8_t, kBlockBits>;

// Codes of one level: what is in the window from `top` down, else `other`, counted from `first_code`.
template <class D, class V>
HWY_INLINE V window_code(D d, V symbols, uint8_t top, uint8_t length, uint8_t first_code) {
  const V place = hn::Min(hn::Sub(hn::Set(d, top), symbols), hn::Set(d, length));
  return hn::Add(place, hn::Set(d, first_code));
}

// Level 1 of n symbols into codes, and which of them go to level 2 into is_other.
HWY_INLINE void code_level1(const Levels& levels, const uint8_t* symbols, size_t n, uint8_t* codes,
                            uint8_t* is_other) {
  const SymbolTag d;
  const auto other = hn::Set(d, levels.other1());
  const auto zeros = hn::Set(d, levels.zeros);
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto s = hn::LoadU(d, symbols + i);
    const auto window = window_code(d, s, levels.top1, levels.window1(), levels.zeros);
    const auto code = hn::IfThenElse(hn::Lt(s, zeros), s, window);
    hn::StoreU(code, d, codes + i);
    hn::StoreMaskBits(d, hn::Eq(code, other), is_other + i / 8);
  }
  clear_bits_from(n, is_other);
}

// The same for level 2, whose alphabet lacks the window of level 1: what is below has moved up.
HWY_INLINE void code_level2(const Levels& levels, const uint8_t* symbols, size_t n, uint8_t* codes,
                            uint8_t* is_other) {
  const SymbolTag d;
  const auto other = hn::Set(d, levels.other2());
  const auto top1 = hn::Set(d, levels.top1);
  const auto hole = hn::Set(d, levels.window1());
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto s = hn::LoadU(d, symbols + i);
    const auto moved = hn::Add(s, hn::IfThenElseZero(hn::Eq(hn::Min(s, top1), s), hole));
    const auto code = window_code(d, moved, levels.top2, levels.other2(), 0);
    hn::StoreU(code, d, codes + i);
    hn::StoreMaskBits(d, hn::Eq(code, other), is_other + i / 8);
  }
  clear_bits_from(n, is_other);
}

// Zeroes what pack_fields takes along behind n codes, and packs them.
HWY_INLINE size_t pack_codes(uint8_t* codes, size_t n, unsigned width, uint8_t* out) {
  std::memset(codes + n, 0, kRows);
  return pack_fields(codes, n, width, out);
}

// A bit for every symbol but +0.
HWY_INLINE void mark_nonzero(const uint8_t* symbols, size_t n, uint8_t* bits) {
  const SymbolTag d;
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    hn::StoreMaskBits(d, hn::Ne(hn::LoadU(d, symbols + i), hn::Zero(d)), bits + i / 8);
  }
  clear_bits_from(n, bits);
}

constexpr size_t bitmap_bytes(size_t n) {
  return (n + 7) / 8;
}

// Writes what comes after the float header; returns the bytes. n is any size, symbols are padded.
HWY_INLINE size_t encode_levels(const Levels& levels, size_t n, Work& work, uint8_t* out) {
  uint8_t* at = out + 5;
  out[0] = pack_widths(levels);
  out[1] = levels.top1;
  out[2] = levels.top2;
  const uint8_t* symbols = work.symbols;
  if (levels.sparse) {
    mark_nonzero(symbols, n, work.is_other);
    const size_t n1 = gather_bits(work.is_other, symbols, n, work.third);
    store_le(at, static_cast<uint16_t>(n1));
    std::memcpy(at + 2, work.is_other, bitmap_bytes(n));
    at += 2 + bitmap_bytes(n);
    symbols = work.third;
    n = n1;
  }
  code_level1(levels, symbols, n, work.codes, work.is_other);
  at += pack_codes(work.codes, n, levels.width1, at);
  const size_t n2 = gather_bits(work.is_other, symbols, n, work.second);
  store_le(out + 3, static_cast<uint16_t>(n2));
  if (levels.width2 != 0) {
    code_level2(levels, work.second, n2, work.codes, work.is_other);
    at += pack_codes(work.codes, n2, levels.width2, at);
    at += gather_bits(work.is_other, work.second, n2, at);
  } else {
    std::memcpy(at, work.second, n2);
    at += n2;
  }
  return static_cast<size_t>(at - out);
}

HWY_INLINE void decode_level1(const Levels& levels, const uint8_t* codes, size_t n, uint8_t* symbols,
                              uint8_t* is_other) {
  const SymbolTag d;
  const auto other = hn::Set(d, levels.other1());
  const auto zeros = hn::Set(d, levels.zeros);
  const auto top = hn::Set(d, static_cast<uint8_t>(levels.top1 + levels.zeros));
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto code = hn::LoadU(d, codes + i);
    const auto to_next = hn::Eq(code, other);
    const auto s = hn::IfThenElse(hn::Lt(code, zeros), code, hn::Sub(top, code));
    hn::StoreU(hn::IfThenZeroElse(to_next, s), d, symbols + i);
    hn::StoreMaskBits(d, to_next, is_other + i / 8);
  }
  clear_bits_from(n, is_other);
}

HWY_INLINE void decode_level2(const Levels& levels, const uint8_t* codes, size_t n, uint8_t* symbols,
                              uint8_t* is_other) {
  const SymbolTag d;
  const auto other = hn::Set(d, levels.other2());
  const auto top1 = hn::Set(d, levels.top1);
  const auto top2 = hn::Set(d, levels.top2);
  const auto hole = hn::Set(d, levels.window1());
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto code = hn::LoadU(d, codes + i);
    const auto to_next = hn::Eq(code, other);
    const auto moved = hn::Sub(top2, code);
    const auto s = hn::Sub(moved, hn::IfThenElseZero(hn::Eq(hn::Min(moved, top1), moved), hole));
    hn::StoreU(hn::IfThenZeroElse(to_next, s), d, symbols + i);
    hn::StoreMaskBits(d, to_next, is_other + i / 8);
  }
  clear_bits_from(n, is_other);
}

// The symbols of both levels and of what is beyond, n of them, from `bytes` bytes.
HWY_INLINE bool decode_codes(const Levels& levels, const uint8_t* in, size_t bytes, size_t n, size_t n2,
                             Work& work, uint8_t* symbols) {
  const size_t packed1 = packed_bytes(n, levels.width1);
  const size_t packed2 = packed_bytes(n2, levels.width2);
  if (n2 > n || bytes < packed1 + packed2) return false;
  const size_t n3 = bytes - packed1 - packed2;
  if (n3 > n2) return false;
  const uint8_t* const level2 = in + packed1;
  const uint8_t* second = level2 + packed2;

  if (levels.width2 != 0) {
    unpack_fields(level2, n2, levels.width2, work.codes);
    decode_level2(levels, work.codes, n2, work.second, work.is_other);
    if (count_bits(work.is_other, n2) != n3) return false;
    scatter_bits<true>(work.is_other, second, n2, work.second);
    second = work.second;
  } else if (n3 != n2) {
    return false;
  }
  unpack_fields(in, n, levels.width1, work.codes);
  decode_level1(levels, work.codes, n, symbols, work.is_other);
  if (count_bits(work.is_other, n) != n2) return false;
  scatter_bits<true>(work.is_other, second, n, symbols);
  return true;
}

// Reads what encode_levels wrote, `bytes` of it and of nothing else, into work.symbols. False when it is not
// that.
HWY_INLINE bool decode_levels(const uint8_t* in, size_t bytes, size_t n, Work& work) {
  constexpr size_t kHead = kLevelsHeaderBytes - kFloatHeaderBytes;
  Levels levels;
  if (bytes < kHead || !unpack_widths(in[0], &levels)) return false;
  levels.top1 = in[1];
  levels.top2 = in[2];
  const size_t n2 = load_le<uint16_t>(in + 3);
  in += kHead;
  bytes -= kHead;
  if (!levels.sparse) return decode_codes(levels, in, bytes, n, n2, work, work.symbols);

  const size_t sparse_bytes = sizeof(uint16_t) + bitmap_bytes(n);
  if (bytes < sparse_bytes) return false;
  const size_t n1 = load_le<uint16_t>(in);
  const uint8_t* const bitmap = in + sizeof(uint16_t);
  if (n1 > n || !decode_codes(levels, in + sparse_bytes, bytes - sparse_bytes, n1, n2, work, work.third))
    return false;
  std::memcpy(work.is_other, bitmap, bitmap_bytes(n));
  clear_bits_from(n, work.is_other);
  if (count_bits(work.is_other, n) != n1) return false;
  scatter_bits<false>(work.is_other, work.third, n, work.symbols);
  return true;
}

}  // namespace netsense::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
