// The element types: their bytes as vectors of exponents and residual bytes, and back. Compiled once per
// instruction set.
#if defined(NETSENSE_KERNELS_ELEMENTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NETSENSE_KERNELS_ELEMENTS_INL_H
#undef NETSENSE_KERNELS_ELEMENTS_INL_H
#else
#define NETSENSE_KERNELS_ELEMENTS_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/format.h"

HWY_BEFORE_NAMESPACE();
namespace netsense::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What elements are made of, in vectors of a byte per element: the exponent's low 8 bits, those above (f64
// only), the residual's top bits with the sign above the mantissa, and its other bytes.
template <class V>
struct Lanes8 {
  V exponent;
  V exponent_high;
  V top;
  V low[6];
};

// The types differ in how their bytes make up exponent and top. `kTopIsPlane`: top is a byte plane, not a
// high field; it then is the last plane. kTopSign is where top has the sign.
struct F32 {
  static constexpr size_t kBytes = 4, kLow = 2;
  static constexpr bool kTopIsPlane = true;
  static constexpr int kTopSign = 7;
};
struct Bf16 {
  static constexpr size_t kBytes = 2, kLow = 0;
  static constexpr bool kTopIsPlane = true;
  static constexpr int kTopSign = 7;
};
struct F16 {
  static constexpr size_t kBytes = 2, kLow = 1;
  static constexpr bool kTopIsPlane = false;
  static constexpr int kTopSign = 2;
};
struct F64 {
  static constexpr size_t kBytes = 8, kLow = 6;
  static constexpr bool kTopIsPlane = false;
  static constexpr int kTopSign = 4;
};
struct F8E4M3 {
  static constexpr size_t kBytes = 1, kLow = 0;
  static constexpr bool kTopIsPlane = false;
  static constexpr int kTopSign = 3;
};
struct F8E5M2 {
  static constexpr size_t kBytes = 1, kLow = 0;
  static constexpr bool kTopIsPlane = false;
  static constexpr int kTopSign = 2;
};

// An 8-bit exponent that straddles the two upper bytes of an element: sign eeeeeee | e mmmmmmm.
template <class D, class V>
HWY_INLINE void cut_straddling(D d, V upper, V lower, Lanes8<V>& lanes) {
  lanes.exponent = hn::Or(hn::Add(upper, upper), hn::ShiftRight<7>(lower));
  lanes.top = hn::Or(hn::And(lower, hn::Set(d, 0x7f)), hn::And(upper, hn::Set(d, 0x80)));
}
// An exponent of kBits above kMantissa bits of the top byte.
template <int kMantissa, int kBits, class D, class V>
HWY_INLINE void cut_inside(D d, V byte, Lanes8<V>& lanes) {
  lanes.exponent = hn::And(hn::ShiftRight<kMantissa>(byte), hn::Set(d, (1 << kBits) - 1));
  lanes.top = hn::Or(hn::And(byte, hn::Set(d, (1 << kMantissa) - 1)),
                     hn::And(hn::ShiftRight<7 - kMantissa>(byte), hn::Set(d, 1 << kMantissa)));
}
template <class D, class V>
HWY_INLINE void join_straddling(D d, const Lanes8<V>& lanes, V& upper, V& lower) {
  upper = hn::Or(hn::ShiftRight<1>(lanes.exponent), hn::And(lanes.top, hn::Set(d, 0x80)));
  lower = hn::Or(hn::ShiftLeft<7>(lanes.exponent), hn::And(lanes.top, hn::Set(d, 0x7f)));
}
template <int kMantissa, class D, class V>
HWY_INLINE V join_inside(D d, const Lanes8<V>& lanes) {
  return hn::Or(hn::Or(hn::And(hn::ShiftLeft<kMantissa>(lanes.exponent), hn::Set(d, 0x7f)),
                       hn::And(lanes.top, hn::Set(d, (1 << kMantissa) - 1))),
                hn::ShiftLeft<7 - kMantissa>(hn::And(lanes.top, hn::Set(d, 1 << kMantissa))));
}

template <class D, class V>
HWY_INLINE void load_lanes(F32, D d, const uint8_t* at, Lanes8<V>& lanes) {
  V upper, lower;
  hn::LoadInterleaved4(d, at, lanes.low[0], lanes.low[1], lower, upper);
  cut_straddling(d, upper, lower, lanes);
}
template <class D, class V>
HWY_INLINE void store_lanes(F32, D d, const Lanes8<V>& lanes, uint8_t* at) {
  V upper, lower;
  join_straddling(d, lanes, upper, lower);
  hn::StoreInterleaved4(lanes.low[0], lanes.low[1], lower, upper, d, at);
}
template <class D, class V>
HWY_INLINE void load_lanes(Bf16, D d, const uint8_t* at, Lanes8<V>& lanes) {
  V upper, lower;
  hn::LoadInterleaved2(d, at, lower, upper);
  cut_straddling(d, upper, lower, lanes);
}
template <class D, class V>
HWY_INLINE void store_lanes(Bf16, D d, const Lanes8<V>& lanes, uint8_t* at) {
  V upper, lower;
  join_straddling(d, lanes, upper, lower);
  hn::StoreInterleaved2(lower, upper, d, at);
}
template <class D, class V>
HWY_INLINE void load_lanes(F16, D d, const uint8_t* at, Lanes8<V>& lanes) {
  V upper;
  hn::LoadInterleaved2(d, at, lanes.low[0], upper);
  cut_inside<2, 5>(d, upper, lanes);
}
template <class D, class V>
HWY_INLINE void store_lanes(F16, D d, const Lanes8<V>& lanes, uint8_t* at) {
  hn::StoreInterleaved2(lanes.low[0], join_inside<2>(d, lanes), d, at);
}
template <class D, class V>
HWY_INLINE void load_lanes(F8E4M3, D d, const uint8_t* at, Lanes8<V>& lanes) {
  cut_inside<3, 4>(d, hn::LoadU(d, at), lanes);
}
template <class D, class V>
HWY_INLINE void store_lanes(F8E4M3, D d, const Lanes8<V>& lanes, uint8_t* at) {
  hn::StoreU(join_inside<3>(d, lanes), d, at);
}
template <class D, class V>
HWY_INLINE void load_lanes(F8E5M2, D d, const uint8_t* at, Lanes8<V>& lanes) {
  cut_inside<2, 5>(d, hn::LoadU(d, at), lanes);
}
template <class D, class V>
HWY_INLINE void store_lanes(F8E5M2, D d, const Lanes8<V>& lanes, uint8_t* at) {
  hn::StoreU(join_inside<2>(d, lanes), d, at);
}

// f64: sign eeeeeee | eeee mmmm | six bytes of mantissa. Bytes are separated in two steps, as pairs and then
// as bytes.
template <class D, class V>
HWY_INLINE void load_lanes(F64, D d, const uint8_t* at, Lanes8<V>& lanes) {
  const hn::RepartitionToWide<D> wide;
  const size_t half = hn::Lanes(wide);
  const auto* pairs = reinterpret_cast<const uint16_t*>(at);
  hn::Vec<decltype(wide)> first[4], second[4];
  hn::LoadInterleaved4(wide, pairs, first[0], first[1], first[2], first[3]);
  hn::LoadInterleaved4(wide, pairs + 4 * half, second[0], second[1], second[2], second[3]);
  V bytes[8];
  for (size_t i = 0; i < 4; ++i) {
    bytes[2 * i] = hn::ConcatEven(d, hn::BitCast(d, second[i]), hn::BitCast(d, first[i]));
    bytes[2 * i + 1] = hn::ConcatOdd(d, hn::BitCast(d, second[i]), hn::BitCast(d, first[i]));
  }
  for (size_t i = 0; i < 6; ++i) lanes.low[i] = bytes[i];
  lanes.exponent = hn::Or(hn::ShiftLeft<4>(bytes[7]), hn::ShiftRight<4>(bytes[6]));
  lanes.exponent_high = hn::And(hn::ShiftRight<4>(bytes[7]), hn::Set(d, 0x07));
  lanes.top =
      hn::Or(hn::And(bytes[6], hn::Set(d, 0x0f)), hn::And(hn::ShiftRight<3>(bytes[7]), hn::Set(d, 0x10)));
}
// Interleaving within registers keeps the order of elements only where a register is one 128-bit block.
template <class D, class V>
HWY_INLINE void store_lanes(F64, D d, const Lanes8<V>& lanes, uint8_t* at) {
  static_assert(hn::MaxLanes(D()) == 16);
  const hn::RepartitionToWide<D> wide;
  const V sign = hn::And(hn::ShiftLeft<3>(lanes.top), hn::Set(d, 0x80));
  const V last = hn::Or(hn::Or(hn::And(hn::ShiftLeft<4>(lanes.exponent_high), hn::Set(d, 0x70)),
                               hn::ShiftRight<4>(lanes.exponent)),
                        sign);
  const V sixth = hn::Or(hn::ShiftLeft<4>(lanes.exponent), hn::And(lanes.top, hn::Set(d, 0x0f)));
  const V bytes[8] = {lanes.low[0], lanes.low[1], lanes.low[2], lanes.low[3],
                      lanes.low[4], lanes.low[5], sixth,        last};
  hn::Vec<decltype(wide)> first[4], second[4];
  for (size_t i = 0; i < 4; ++i) {
    first[i] = hn::BitCast(wide, hn::InterleaveLower(d, bytes[2 * i], bytes[2 * i + 1]));
    second[i] = hn::BitCast(wide, hn::InterleaveUpper(d, bytes[2 * i], bytes[2 * i + 1]));
  }
  auto* pairs = reinterpret_cast<uint16_t*>(at);
  hn::StoreInterleaved4(first[0], first[1], first[2], first[3], wide, pairs);
  hn::StoreInterleaved4(second[0], second[1], second[2], second[3], wide, pairs + 4 * hn::Lanes(wide));
}

}  // namespace netsense::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
