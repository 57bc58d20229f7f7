// Bytes gathered by, and scattered to, the set bits of a bitmap. Compiled once per instruction set.
#if defined(NETSENSE_KERNELS_BITS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NETSENSE_KERNELS_BITS_INL_H
#undef NETSENSE_KERNELS_BITS_INL_H
#else
#define NETSENSE_KERNELS_BITS_INL_H
#endif

#include <hwy/highway.h>

#include <cstring>

#include "kernels/cpu/bytes.h"
#include "kernels/cpu/shuffles.h"

HWY_BEFORE_NAMESPACE();
namespace netsense::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kBlockBits = 64;  // bitmaps are handled 64 elements at a time

// Clears the bits from n to the end of its 64.
HWY_INLINE void clear_bits_from(size_t n, uint8_t* bits) {
  if (n % kBlockBits == 0) return;
  uint8_t* at = bits + n / kBlockBits * (kBlockBits / 8);
  store_le(at, load_le<uint64_t>(at) & ((uint64_t{1} << n % kBlockBits) - 1));
}

HWY_INLINE size_t count_bits(const uint8_t* bits, size_t n) {
  size_t count = 0;
  for (size_t i = 0; i < n; i += kBlockBits) count += hwy::PopCount(load_le<uint64_t>(bits + i / 8));
  return count;
}

// The bytes of `in` whose bit is set, in order; returns how many. out may be in. Writes up to 64 bytes more.
HWY_INLINE size_t gather_bits(const uint8_t* bits, const uint8_t* in, size_t n, uint8_t* out) {
  uint8_t* const begin = out;
  for (size_t i = 0; i < n; i += kBlockBits) {
    const uint64_t mask = load_le<uint64_t>(bits + i / 8);
#if HWY_TARGET == HWY_AVX3_DL
    // Through a register: storing by mask straight to memory is microcoded on some CPUs.
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(mask, _mm512_loadu_si512(in + i)));
    out += hwy::PopCount(mask);
#else
    const hn::FixedTag<uint8_t, 8> d;
    for (size_t part = 0; part < kBlockBits; part += 8) {
      const size_t m = mask >> part & 0xff;
      hn::StoreU(hn::TableLookupBytesOr0(hn::LoadU(d, in + i + part), hn::Load(d, kCompact[m].data())), d,
                 out);
      out += hwy::PopCount(uint64_t{m});
    }
#endif
  }
  return static_cast<size_t>(out - begin);
}

// The reverse: the next byte of `in` where the bit is set, and what is there (kKeep) or 0 where it is not.
// With kKeep, `out` must be 0 where the bit is set. Reads up to 64 bytes more than there are bits set.
template <bool kKeep>
HWY_INLINE void scatter_bits(const uint8_t* bits, const uint8_t* in, size_t n, uint8_t* out) {
  for (size_t i = 0; i < n; i += kBlockBits) {
    const uint64_t mask = load_le<uint64_t>(bits + i / 8);
#if HWY_TARGET == HWY_AVX3_DL
    const __m512i from = _mm512_loadu_si512(in);
    _mm512_storeu_si512(out + i, kKeep ? _mm512_mask_expand_epi8(_mm512_loadu_si512(out + i), mask, from)
                                       : _mm512_maskz_expand_epi8(mask, from));
    in += hwy::PopCount(mask);
#else
    const hn::FixedTag<uint8_t, 8> d;
    for (size_t part = 0; part < kBlockBits; part += 8) {
      const size_t m = mask >> part & 0xff;
      auto bytes = hn::TableLookupBytesOr0(hn::LoadU(d, in), hn::Load(d, kExpand[m].data()));
      if (kKeep) bytes = hn::Or(bytes, hn::LoadU(d, out + i + part));
      hn::StoreU(bytes, d, out + i + part);
      in += hwy::PopCount(uint64_t{m});
    }
#endif
  }
}

}  // namespace netsense::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
