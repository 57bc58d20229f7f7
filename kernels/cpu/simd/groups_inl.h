// Packed fields a group at a time, within buffers that end where the fields do, and of up to 15 bits.
// Compiled once per instruction set.
#if defined(NETSENSE_KERNELS_GROUPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NETSENSE_KERNELS_GROUPS_INL_H
#undef NETSENSE_KERNELS_GROUPS_INL_H
#else
#define NETSENSE_KERNELS_GROUPS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "kernels/cpu/simd/fields_inl.h"

HWY_BEFORE_NAMESPACE();
namespace netsense::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t columns_of(size_t elements) {
  return (elements + kRows - 1) / kRows;
}

// Packs a group of m fields, their low bytes and, for widths above 8, their high bytes; both are padded with
// zeros to whole columns. Returns the end.
HWY_INLINE uint8_t* pack_fields_of_group(const uint8_t* low, const uint8_t* high, size_t m, unsigned width,
                                         uint8_t* out) {
  const size_t columns = columns_of(m);
  if (width >= 8) {
    std::memcpy(out, low, 8 * columns);
    out += 8 * columns;
    low = high;
    width -= 8;
  }
  if (m == kGroup) return out + pack_fields(low, m, width, out);
  uint8_t packed[kGroup + 2 * kColumns];
  std::memcpy(out, packed, pack_fields(low, m, width, packed));
  return out + width * columns;
}

// The reverse; writes up to 32 bytes behind m. Returns the end.
HWY_INLINE const uint8_t* unpack_fields_of_group(const uint8_t* in, size_t m, unsigned width, uint8_t* low,
                                                 uint8_t* high) {
  const size_t columns = columns_of(m);
  if (width >= 8) {
    std::memcpy(low, in, m);
    in += 8 * columns;
    low = high;
    width -= 8;
  }
  if (m == kGroup) {
    unpack_fields(in, m, width, low);
  } else {
    uint8_t packed[kGroup + 2 * kColumns];
    std::memcpy(packed, in, width * columns);
    unpack_fields(packed, m, width, low);
  }
  return in + width * columns;
}

HWY_INLINE void pack_wide(const uint8_t* low, const uint8_t* high, size_t n, unsigned width, uint8_t* out) {
  for (size_t i = 0; i < n; i += kGroup) {
    out = pack_fields_of_group(low + i, high + i, std::min(n - i, kGroup), width, out);
  }
}

HWY_INLINE void unpack_wide(const uint8_t* in, size_t n, unsigned width, uint8_t* low, uint8_t* high) {
  for (size_t i = 0; i < n; i += kGroup) {
    in = unpack_fields_of_group(in, std::min(n - i, kGroup), width, low + i, high + i);
  }
}

}  // namespace netsense::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
