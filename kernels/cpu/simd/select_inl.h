// Which elements are large, and how large. Compiled once per instruction set.
#if defined(NETSENSE_KERNELS_SELECT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NETSENSE_KERNELS_SELECT_INL_H
#undef NETSENSE_KERNELS_SELECT_INL_H
#else
#define NETSENSE_KERNELS_SELECT_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "kernels/cpu/bytes.h"
#include "kernels/cpu/lossy_kernels.h"
#include "kernels/cpu/simd/quantise_inl.h"

HWY_BEFORE_NAMESPACE();
namespace netsense::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Elements are looked at in runs of this many, the last padded with zeros.
constexpr size_t kSelectRun = 16;

template <class Run>
HWY_INLINE void for_each_run(const float* values, size_t n, Run run) {
  size_t i = 0;
  for (; i + kSelectRun <= n; i += kSelectRun) run(values + i, i);
  if (i == n) return;
  float padded[kSelectRun] = {};
  std::memcpy(padded, values + i, (n - i) * sizeof(float));
  run(padded, i);
}

HWY_INLINE hn::Vec<BitsTag> load_magnitudes(const float* values) {
  const FloatTag d;
  return hn::BitCast(BitsTag(), hn::Abs(hn::LoadU(d, values)));
}

// Eight sums, whatever the registers hold, so that the rounding is the same with all.
HWY_INLINE Survey survey_values(const float* values, size_t n) {
  using SumTag = hn::CappedTag<double, 8>;
  using PartTag = hn::Rebind<float, SumTag>;
  constexpr size_t kSums = 8;
  constexpr size_t kLanes = hn::MaxLanes(SumTag());
  const SumTag sum_tag;
  hn::Vec<SumTag> sums[kSums / kLanes];
  for (auto& sum : sums) sum = hn::Zero(sum_tag);
  const BitsTag bits;
  const IntTag ints;
  auto largest = hn::Zero(ints);
  for_each_run(values, n, [&](const float* run, size_t) HWY_ATTR {
    for (size_t i = 0; i < kSelectRun; i += hn::Lanes(bits)) {
      largest = hn::Max(largest, hn::BitCast(ints, load_magnitudes(run + i)));
    }
    for (size_t i = 0; i < kSelectRun; i += kLanes) {
      const auto x = hn::PromoteTo(sum_tag, hn::LoadU(PartTag(), run + i));
      auto& sum = sums[i % kSums / kLanes];
      sum = hn::Add(sum, hn::Mul(x, x));
    }
  });
  HWY_ALIGN double parts[kSums];
  for (size_t i = 0; i < kSums / kLanes; ++i) hn::Store(sums[i], sum_tag, parts + i * kLanes);
  double energy = 0;
  for (const double part : parts) energy += part;
  return {static_cast<uint32_t>(hn::GetLane(hn::MaxOfLanes(ints, largest))), energy};
}

HWY_INLINE void mark_values(const float* values, size_t n, uint32_t least, uint8_t* bitmap) {
  const hn::CappedTag<uint32_t, 8> d;
  const hn::Rebind<int32_t, decltype(d)> ints;
  const hn::Rebind<float, decltype(d)> floats;
  const auto below = hn::Set(ints, static_cast<int32_t>(least - 1));
  constexpr size_t kLanes = hn::MaxLanes(d);
  std::memset(bitmap + n / 64 * 8, 0, n % 64 == 0 ? 0 : 8);
  for_each_run(values, n, [&](const float* run, size_t first) HWY_ATTR {
    uint8_t* const marks = bitmap + first / 8;
    for (size_t i = 0; i < kSelectRun; i += kLanes) {
      const auto magnitudes = hn::BitCast(ints, hn::Abs(hn::LoadU(floats, run + i)));
      const auto large = hn::Gt(magnitudes, below);
      if constexpr (kLanes == 8) {
        // Straight to memory: GCC 12 may keep such a mask as a byte on the stack and read back four.
        hn::StoreMaskBits(ints, large, marks + i / 8);
      } else {
        uint8_t bits[8] = {};
        hn::StoreMaskBits(ints, large, bits);
        marks[i / 8] = static_cast<uint8_t>(i % 8 == 0 ? bits[0] : marks[i / 8] | bits[0] << i % 8);
      }
    }
  });
}

HWY_INLINE size_t collect_magnitudes(const float* values, size_t n, uint32_t least, uint32_t* out) {
  const BitsTag d;
  const IntTag ints;
  const auto below = hn::Set(ints, static_cast<int32_t>(least - 1));
  uint32_t* at = out;
  for_each_run(values, n, [&](const float* run, size_t) HWY_ATTR {
    for (size_t i = 0; i < kSelectRun; i += hn::Lanes(d)) {
      const auto magnitudes = hn::BitCast(ints, load_magnitudes(run + i));
      const auto found = hn::Gt(magnitudes, below);
      if (hn::AllFalse(ints, found)) continue;
      // Through a register: storing by mask straight to memory is microcoded on some CPUs.
      hn::StoreU(hn::BitCast(d, hn::Compress(magnitudes, found)), d, at);
      at += hn::CountTrue(ints, found);
    }
  });
  return static_cast<size_t>(at - out);
}

HWY_INLINE size_t count_magnitudes(const uint32_t* magnitudes, size_t n, uint32_t least) {
  const BitsTag d;
  const IntTag ints;
  const auto below = hn::Set(ints, static_cast<int32_t>(least - 1));
  // All bits set where one counts: -1.
  auto counts = hn::Zero(ints);
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto here = hn::BitCast(ints, hn::LoadU(d, magnitudes + i));
    counts = hn::Sub(counts, hn::VecFromMask(ints, hn::Gt(here, below)));
  }
  return static_cast<size_t>(hn::GetLane(hn::SumOfLanes(ints, counts)));
}

// Exact: (gap + 1/2) / divisor is at least 1 / (2 * divisor) away from any integer, and below 2^16 / divisor,
// of which f32 loses 2^-23 at most.
HWY_INLINE size_t sum_of_quotients(const uint16_t* gaps, size_t n, uint32_t divisor) {
  const IntTag ints;
  const FloatTag d;
  const hn::Rebind<uint16_t, IntTag> gap_tag;
  const auto inverse = hn::Set(d, 1.0F / static_cast<float>(divisor));
  const auto half = hn::Set(d, 0.5F);
  auto sum = hn::Zero(ints);
  for (size_t i = 0; i < n; i += hn::Lanes(ints)) {
    const auto gap = hn::ConvertTo(d, hn::PromoteTo(ints, hn::LoadU(gap_tag, gaps + i)));
    sum = hn::Add(sum, hn::ConvertTo(ints, hn::Mul(hn::Add(gap, half), inverse)));
  }
  return static_cast<size_t>(hn::GetLane(hn::SumOfLanes(ints, sum)));
}

}  // namespace netsense::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
