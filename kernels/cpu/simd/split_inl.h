// Elements cut into symbols and residual bytes, and put together again. Compiled once per instruction set.
#if defined(NETSENSE_KERNELS_SPLIT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NETSENSE_KERNELS_SPLIT_INL_H
#undef NETSENSE_KERNELS_SPLIT_INL_H
#else
#define NETSENSE_KERNELS_SPLIT_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/cpu/simd/elements_inl.h"
#include "kernels/format.h"

HWY_BEFORE_NAMESPACE();
namespace netsense::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Elements are handled in runs of this many: as many bytes as the largest register has.
constexpr size_t kRun = 64;

// The widest registers; for f64 the one its store_lanes can take.
template <class T>
using LaneTag = hn::CappedTag<uint8_t, T::kBytes == 8 ? 16 : kRun>;

// Where the parts of elements are, a byte per element in each, and a bit per element that says whether it has
// a residual.
template <class Byte>
struct Parts {
  Byte* symbols;
  Byte* has_residual;
  Byte* high;
  Byte* planes[6];

  // The array that holds the residuals' top bits.
  template <class T>
  Byte* top() const {
    return T::kTopIsPlane ? planes[T::kLow] : high;
  }
};

struct SplitResult {
  bool fits_bytes;  // no exponent (of f64 its low 8 bits) is kSymbolSpan or more
  uint8_t present;  // which residual parts have a bit set anywhere: kHighFieldBit and a bit per plane
};

// Cuts n elements, a multiple of kRun.
template <class T>
HWY_INLINE SplitResult split(const uint8_t* elements, size_t n, uint32_t base, const Parts<uint8_t>& parts) {
  const LaneTag<T> d;
  using V = hn::Vec<LaneTag<T>>;
  const V sign = hn::Set(d, static_cast<uint8_t>(1u << T::kTopSign));
  const V offset = hn::Set(d, static_cast<uint8_t>(kFirstSymbol - base));
  const V first_symbol = hn::Set(d, kFirstSymbol);
  V largest = hn::Zero(d), any_top = hn::Zero(d);
  V any_low[6];
  for (size_t plane = 0; plane < T::kLow; ++plane) any_low[plane] = hn::Zero(d);

  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    Lanes8<V> lanes;
    load_lanes(T(), d, elements + i * T::kBytes, lanes);
    V magnitude = hn::Or(lanes.exponent, hn::AndNot(sign, lanes.top));
    if (T::kBytes == 8) magnitude = hn::Or(magnitude, lanes.exponent_high);
    for (size_t plane = 0; plane < T::kLow; ++plane) {
      magnitude = hn::Or(magnitude, lanes.low[plane]);
      any_low[plane] = hn::Or(any_low[plane], lanes.low[plane]);
      hn::StoreU(lanes.low[plane], d, parts.planes[plane] + i);
    }
    largest = hn::Max(largest, lanes.exponent);
    any_top = hn::Or(any_top, lanes.top);
    hn::StoreU(lanes.top, d, parts.template top<T>() + i);
    // The top bits of a zero are its sign alone, which makes its symbol.
    const auto zero = hn::Eq(magnitude, hn::Zero(d));
    const V symbols =
        hn::IfThenElse(zero, hn::ShiftRight<T::kTopSign>(lanes.top), hn::Add(lanes.exponent, offset));
    hn::StoreU(symbols, d, parts.symbols + i);
    hn::StoreMaskBits(d, hn::Eq(hn::Max(symbols, first_symbol), symbols), parts.has_residual + i / 8);
  }

  const auto any = [d](V v) { return !hn::AllTrue(d, hn::Eq(v, hn::Zero(d))); };
  unsigned present = any(any_top) ? (T::kTopIsPlane ? 1u << T::kLow : kHighFieldBit) : 0;
  for (size_t plane = 0; plane < T::kLow; ++plane) present |= any(any_low[plane]) ? 1u << plane : 0;
  const bool fits_bytes = hn::AllTrue(d, hn::Lt(largest, hn::Set(d, static_cast<uint8_t>(kSymbolSpan))));
  return {fits_bytes, static_cast<uint8_t>(present)};
}

// Puts n elements together, a multiple of kRun. The residual bytes of zeros must be 0.
template <class T>
HWY_INLINE void merge(const Parts<const uint8_t>& parts, size_t n, uint32_t base, uint8_t* elements) {
  const LaneTag<T> d;
  using V = hn::Vec<LaneTag<T>>;
  const V sign = hn::Set(d, static_cast<uint8_t>(1u << T::kTopSign));
  const V first_symbol = hn::Set(d, kFirstSymbol);
  const V base_low = hn::Set(d, static_cast<uint8_t>(base));
  const V base_high = hn::Set(d, static_cast<uint8_t>(base >> 8));
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    Lanes8<V> lanes;
    const V symbols = hn::LoadU(d, parts.symbols + i);
    const auto has_residual = hn::Eq(hn::Max(symbols, first_symbol), symbols);
    const V above = hn::Sub(symbols, first_symbol);
    const V sum = hn::Add(above, base_low);
    lanes.exponent = hn::IfThenElseZero(has_residual, sum);
    if (T::kBytes == 8) {
      const V carry = hn::VecFromMask(d, hn::Ne(hn::Max(sum, above), sum));  // -1 where the addition wrapped
      lanes.exponent_high = hn::IfThenElseZero(has_residual, hn::Sub(base_high, carry));
    }
    const auto negative_zero = hn::Eq(symbols, hn::Set(d, kNegativeZero));
    lanes.top = hn::Or(hn::LoadU(d, parts.template top<T>() + i), hn::IfThenElseZero(negative_zero, sign));
    for (size_t plane = 0; plane < T::kLow; ++plane) lanes.low[plane] = hn::LoadU(d, parts.planes[plane] + i);
    store_lanes(T(), d, lanes, elements + i * T::kBytes);
  }
}

}  // namespace netsense::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
