// Groups of f32 as a scale and levels of few bits. Compiled once per instruction set.
#if defined(NETSENSE_KERNELS_QUANTISE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NETSENSE_KERNELS_QUANTISE_INL_H
#undef NETSENSE_KERNELS_QUANTISE_INL_H
#else
#define NETSENSE_KERNELS_QUANTISE_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/cpu/bytes.h"
#include "kernels/cpu/lossy_kernels.h"
#include "kernels/cpu/simd/groups_inl.h"

HWY_BEFORE_NAMESPACE();
namespace netsense::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using BitsTag = hn::RebindToUnsigned<FloatTag>;
using IntTag = hn::RebindToSigned<FloatTag>;
using CodeTag = hn::Rebind<uint8_t, FloatTag>;

// Random numbers by a counter: any of them without those before. The mixing is C. Wellons's "triple32"
// ("Prospecting for hash functions", 2018), with the upper half of the key added after its first round; the
// key is the seed behind the finaliser of SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable
// pseudorandom number generators", 2014).
class RandomWords {
 public:
  HWY_INLINE explicit RandomWords(uint64_t seed) {
    uint64_t key = seed + 0x9e3779b97f4a7c15;
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9;
    key = (key ^ key >> 27) * 0x94d049bb133111eb;
    key ^= key >> 31;
    low_ = static_cast<uint32_t>(key);
    high_ = static_cast<uint32_t>(key >> 32);
  }

  // Numbers `first` and up, one in each lane.
  HWY_INLINE hn::Vec<BitsTag> at(uint32_t first) const {
    const BitsTag d;
    auto x = hn::Xor(hn::Add(hn::Set(d, first), lanes_), hn::Set(d, low_));
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<17>(x)), hn::Set(d, 0xed5ad4bb));
    x = hn::Add(hn::Xor(x, hn::ShiftRight<11>(x)), hn::Set(d, high_));
    x = hn::Mul(x, hn::Set(d, 0xac4c1b51));
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), hn::Set(d, 0x31848bab));
    return hn::Xor(x, hn::ShiftRight<14>(x));
  }

 private:
  uint32_t low_;
  uint32_t high_;
  // Made once: Highway 1.0 makes it lane by lane, in memory.
  hn::Vec<BitsTag> lanes_ = hn::Iota(BitsTag(), 0);
};

// The bits of the largest magnitude of n elements, a multiple of 16.
HWY_INLINE uint32_t largest_magnitude(const float* values, size_t n) {
  const FloatTag d;
  const IntTag bits;
  const auto magnitude = hn::Set(bits, static_cast<int32_t>(kMagnitudeBits));
  auto largest = hn::Zero(bits);
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    largest = hn::Max(largest, hn::And(hn::BitCast(bits, hn::LoadU(d, values + i)), magnitude));
  }
  return static_cast<uint32_t>(hn::GetLane(hn::MaxOfLanes(bits, largest)));
}

// What a level is worth.
HWY_INLINE float step_of(uint16_t scale, unsigned bits) {
  return std::bit_cast<float>(uint32_t{scale} << 16) / static_cast<float>(top_level(bits));
}

// A place between two levels is told to so many bits: with more, the rounding of a division might move an
// element to the farther of two levels that is a whole step away.
constexpr int kPlaceBits = 15;

class Quantiser {
 public:
  HWY_INLINE Quantiser(float step, uint32_t top)
      : step_(hn::Set(FloatTag(), step)),
        top_(hn::Set(FloatTag(), static_cast<float>(top))),
        zero_code_(hn::Set(IntTag(), static_cast<int32_t>(top))) {}

  // One register: codes out, and what was lost in the place of the values.
  HWY_INLINE void run(hn::Vec<BitsTag> random, float* values, uint8_t* codes) const {
    const FloatTag d;
    const IntTag ints;
    const auto x = hn::LoadU(d, values);
    const auto places = hn::Min(hn::Div(hn::Abs(x), step_), top_);
    const auto fixed = hn::NearestInt(hn::Mul(places, hn::Set(d, 1 << kPlaceBits)));
    const auto level = hn::ShiftRight<kPlaceBits>(hn::Add(fixed, hn::BitCast(ints, random)));
    // All bits set where x is negative; -a is ~a + 1.
    const auto sign = hn::BroadcastSignBit(hn::BitCast(ints, x));
    const auto signed_level = hn::Sub(hn::Xor(level, sign), sign);
    hn::StoreU(hn::Sub(x, hn::Mul(hn::ConvertTo(d, signed_level), step_)), d, values);
    const auto code = hn::BitCast(BitsTag(), hn::Add(signed_level, zero_code_));
    hn::StoreU(hn::U8FromU32(code), CodeTag(), codes);
  }

 private:
  hn::Vec<FloatTag> step_;
  hn::Vec<FloatTag> top_;
  hn::Vec<IntTag> zero_code_;
};

// What added to a place lets it round to the nearest level by cutting: half a step, twice.
constexpr uint32_t kHalfSteps = 1U << (kPlaceBits - 1) | 1U << (16 + kPlaceBits - 1);

// A whole group. Elements i and i + 128 share a number.
template <Rounding kRounding>
HWY_INLINE void quantise_group(const RandomWords& random, uint32_t first_word, float step, uint32_t top,
                               float* values, uint8_t* codes) {
  const BitsTag d;
  const Quantiser quantiser(step, top);
  const auto mask = hn::Set(d, (1 << kPlaceBits) - 1);
  constexpr size_t kHalf = kGroup / 2;
  for (size_t i = 0; i < kHalf; i += hn::Lanes(d)) {
    const auto word = kRounding == Rounding::kNearest ? hn::Set(d, kHalfSteps)
                                                      : random.at(first_word + static_cast<uint32_t>(i));
    quantiser.run(hn::And(word, mask), values + i, codes + i);
    quantiser.run(hn::And(hn::ShiftRight<16>(word), mask), values + kHalf + i, codes + kHalf + i);
  }
}

HWY_INLINE void quantise_values(unsigned bits, Rounding rounding, uint64_t seed, float* values, size_t n,
                                uint8_t* out) {
  const RandomWords random(seed);
  const uint32_t top = top_level(bits);
  uint8_t* packed = out + (n + kGroup - 1) / kGroup * kScaleBytes;
  uint8_t codes[kGroup + 2 * kColumns];
  float padded[kGroup];
  for (size_t i = 0; i < n; i += kGroup, out += kScaleBytes) {
    const size_t m = std::min(n - i, kGroup);
    float* group = values + i;
    if (m != kGroup) {
      std::memset(padded, 0, sizeof padded);
      std::memcpy(padded, group, m * sizeof(float));
      group = padded;
    }
    const auto scale = static_cast<uint16_t>((largest_magnitude(group, kGroup) + 0xffff) >> 16);
    store_le(out, scale);
    if (scale == 0) {
      std::memset(codes, static_cast<int>(top), kGroup);
    } else if (rounding == Rounding::kNearest) {
      quantise_group<Rounding::kNearest>(random, 0, step_of(scale, bits), top, group, codes);
    } else {
      quantise_group<Rounding::kStochastic>(random, static_cast<uint32_t>(i / 2), step_of(scale, bits), top,
                                            group, codes);
    }
    if (m != kGroup) {
      std::memcpy(values + i, padded, m * sizeof(float));
      std::memset(codes + m, 0, kGroup - m);
    }
    packed = pack_fields_of_group(codes, nullptr, m, bits, packed);
  }
}

// Whether none of 256 codes has all bits set.
HWY_INLINE bool are_levels(const uint8_t* codes, uint32_t top) {
  const ColumnTag d;
  auto largest = hn::Zero(d);
  for (size_t i = 0; i < kGroup; i += hn::Lanes(d)) largest = hn::Max(largest, hn::LoadU(d, codes + i));
  return hn::AllTrue(d, hn::Eq(hn::Min(largest, hn::Set(d, static_cast<uint8_t>(2 * top))), largest));
}

template <bool kAdd>
HWY_INLINE void put_group(const uint8_t* codes, float step, uint32_t top, float* values) {
  const FloatTag d;
  const IntTag ints;
  const auto zero_code = hn::Set(ints, static_cast<int32_t>(top));
  const auto steps = hn::Set(d, step);
  for (size_t i = 0; i < kGroup; i += hn::Lanes(d)) {
    const auto level = hn::Sub(hn::PromoteTo(ints, hn::LoadU(CodeTag(), codes + i)), zero_code);
    auto value = hn::Mul(hn::ConvertTo(d, level), steps);
    if (kAdd) value = hn::Add(hn::LoadU(d, values + i), value);
    hn::StoreU(value, d, values + i);
  }
}

template <bool kAdd>
HWY_INLINE bool dequantise_values(unsigned bits, const uint8_t* in, size_t n, float* values) {
  const uint32_t top = top_level(bits);
  const uint8_t* packed = in + (n + kGroup - 1) / kGroup * kScaleBytes;
  uint8_t codes[kGroup + 2 * kColumns];
  uint8_t none[1];
  float padded[kGroup] = {};
  for (size_t i = 0; i < n; i += kGroup, in += kScaleBytes) {
    const size_t m = std::min(n - i, kGroup);
    const uint16_t scale = load_le<uint16_t>(in);
    packed = unpack_fields_of_group(packed, m, bits, codes, none);
    std::memset(codes + m, static_cast<int>(top), kGroup - m);
    if (scale > kMaxScale || !are_levels(codes, top)) return false;
    const float step = step_of(scale, bits);
    if (m == kGroup) {
      put_group<kAdd>(codes, step, top, values + i);
    } else {
      std::memcpy(padded, values + i, kAdd ? m * sizeof(float) : 0);
      put_group<kAdd>(codes, step, top, padded);
      std::memcpy(values + i, padded, m * sizeof(float));
    }
  }
  return true;
}

}  // namespace netsense::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
