// Packed fields (kernels/format.h): few bits of every byte, eight rows into one. Compiled once per
// instruction set.
#if defined(NETSENSE_KERNELS_FIELDS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NETSENSE_KERNELS_FIELDS_INL_H
#undef NETSENSE_KERNELS_FIELDS_INL_H
#else
#define NETSENSE_KERNELS_FIELDS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "kernels/format.h"

HWY_BEFORE_NAMESPACE();
namespace netsense::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kColumns = kGroup / kRows;
using ColumnTag = hn::CappedTag<uint8_t, kColumns>;

// Shifts of whole bytes, done as 16-bit shifts: the caller masks what crosses.
template <class V>
HWY_INLINE V shift_left(V v, int bits) {
  const hn::RepartitionToWide<ColumnTag> wide;
  return hn::BitCast(ColumnTag(), hn::ShiftLeftSame(hn::BitCast(wide, v), bits));
}
template <class V>
HWY_INLINE V shift_right(V v, int bits) {
  const hn::RepartitionToWide<ColumnTag> wide;
  return hn::BitCast(ColumnTag(), hn::ShiftRightSame(hn::BitCast(wide, v), bits));
}

// One part of a width: kBits bits of each of a group's elements, from bit `shift` up. Registers are stored in
// ascending order, so what one writes beyond its columns the next puts right.
template <int kBits>
HWY_INLINE uint8_t* pack_part(const uint8_t* in, size_t columns, int shift, uint8_t* out) {
  const ColumnTag d;
  const auto mask = hn::Set(d, static_cast<uint8_t>((1 << kBits) - 1));
  constexpr size_t kRowsPerByte = 8 / kBits;
  for (size_t row = 0; row < kRows; row += kRowsPerByte, out += columns) {
    for (size_t column = 0; column < columns; column += hn::Lanes(d)) {
      auto packed = hn::Zero(d);
      for (size_t i = 0; i < kRowsPerByte; ++i) {
        const auto bytes = hn::LoadU(d, in + (row + i) * columns + column);
        packed =
            hn::Or(packed, shift_left(hn::And(shift_right(bytes, shift), mask), static_cast<int>(i) * kBits));
      }
      hn::StoreU(packed, d, out + column);
    }
  }
  return out;
}

// The bits of one row that a part of kBits per element holds.
template <int kBits, class V>
HWY_INLINE V part_of_row(V packed, size_t row) {
  const auto mask = hn::Set(ColumnTag(), static_cast<uint8_t>((1 << kBits) - 1));
  return hn::And(shift_right(packed, static_cast<int>(row % (8 / kBits)) * kBits), mask);
}

template <unsigned kWidth>
HWY_INLINE const uint8_t* unpack_group(const uint8_t* in, size_t columns, uint8_t* out) {
  const ColumnTag d;
  const uint8_t* const pairs = in + (kWidth & 4) * columns;
  const uint8_t* const singles = pairs + (kWidth & 2) * columns;
  for (size_t row = 0; row < kRows; ++row, out += columns) {
    for (size_t column = 0; column < columns; column += hn::Lanes(d)) {
      auto bytes = hn::Zero(d);
      if (kWidth & 4) bytes = part_of_row<4>(hn::LoadU(d, in + row / 2 * columns + column), row);
      if (kWidth & 2) {
        const auto part = part_of_row<2>(hn::LoadU(d, pairs + row / 4 * columns + column), row);
        bytes = hn::Or(bytes, shift_left(part, kWidth & 4));
      }
      if (kWidth & 1) {
        const auto part = part_of_row<1>(hn::LoadU(d, singles + column), row);
        bytes = hn::Or(bytes, shift_left(part, kWidth & 6));
      }
      hn::StoreU(bytes, d, out + column);
    }
  }
  return in + kWidth * columns;
}

template <unsigned kWidth>
HWY_INLINE void unpack_width(const uint8_t* in, size_t n, uint8_t* out) {
  for (size_t i = 0; i < n; i += kGroup) {
    in = unpack_group<kWidth>(in, (std::min(n - i, kGroup) + kRows - 1) / kRows, out + i);
  }
}

// Packs the low `width` bits of n bytes; returns packed_bytes(n, width). Bits above must be 0, and so must
// the 8 bytes behind `in`. Writes up to 32 bytes more than it returns.
HWY_INLINE size_t pack_fields(const uint8_t* in, size_t n, unsigned width, uint8_t* out) {
  const uint8_t* const begin = out;
  for (size_t i = 0; i < n; i += kGroup) {
    const size_t columns = (std::min(n - i, kGroup) + kRows - 1) / kRows;
    int shift = 0;
    if ((width & 4) != 0) {
      out = pack_part<4>(in + i, columns, shift, out);
      shift += 4;
    }
    if ((width & 2) != 0) {
      out = pack_part<2>(in + i, columns, shift, out);
      shift += 2;
    }
    if ((width & 1) != 0) out = pack_part<1>(in + i, columns, shift, out);
  }
  return static_cast<size_t>(out - begin);
}

// The reverse, for widths of 1 to 7. Writes up to 32 bytes behind out[n], of no meaning, and reads as many
// behind the packed bytes.
HWY_INLINE void unpack_fields(const uint8_t* in, size_t n, unsigned width, uint8_t* out) {
  switch (width) {
    case 1:
      return unpack_width<1>(in, n, out);
    case 2:
      return unpack_width<2>(in, n, out);
    case 3:
      return unpack_width<3>(in, n, out);
    case 4:
      return unpack_width<4>(in, n, out);
    case 5:
      return unpack_width<5>(in, n, out);
    case 6:
      return unpack_width<6>(in, n, out);
    case 7:
      return unpack_width<7>(in, n, out);
    default:
      break;
  }
}

}  // namespace netsense::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
