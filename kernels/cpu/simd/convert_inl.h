// f16 and bf16 to f32 and back, in integers, so that no CPU's own instruction has a say. Compiled once per
// instruction set. For f16 the way is F. Giesen's ("Half to float done quick", 2012).
#if defined(NETSENSE_KERNELS_CONVERT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NETSENSE_KERNELS_CONVERT_INL_H
#undef NETSENSE_KERNELS_CONVERT_INL_H
#else
#define NETSENSE_KERNELS_CONVERT_INL_H
#endif

#include <hwy/highway.h>

#include <cstring>

#include "kernels/cpu/lossy_kernels.h"
#include "kernels/cpu/simd/quantise_inl.h"

HWY_BEFORE_NAMESPACE();
namespace netsense::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bits = hn::Vec<BitsTag>;
using HalfTag = hn::Rebind<uint16_t, BitsTag>;

constexpr uint32_t kF32Infinity = 0x7f800000;
constexpr uint32_t kQuietBit = 0x00400000;

HWY_INLINE Bits set_bits(uint32_t bits) {
  return hn::Set(BitsTag(), bits);
}

struct WidenF32 {
  static constexpr size_t kBytes = 4;
  static HWY_INLINE Bits load(const uint8_t* at) {
    return hn::BitCast(BitsTag(), hn::LoadU(FloatTag(), reinterpret_cast<const float*>(at)));
  }
};

HWY_INLINE Bits load_halves(const uint8_t* at) {
  return hn::PromoteTo(BitsTag(), hn::LoadU(HalfTag(), reinterpret_cast<const uint16_t*>(at)));
}

struct WidenBf16 {
  static constexpr size_t kBytes = 2;
  static HWY_INLINE Bits load(const uint8_t* at) {
    const Bits x = hn::ShiftLeft<16>(load_halves(at));
    const auto nan = hn::Gt(hn::And(x, set_bits(kMagnitudeBits)), set_bits(kF32Infinity));
    return hn::Or(x, hn::IfThenElseZero(nan, set_bits(kQuietBit)));
  }
};

struct WidenF16 {
  static constexpr size_t kBytes = 2;
  static HWY_INLINE Bits load(const uint8_t* at) {
    const FloatTag d;
    const Bits half = load_halves(at);
    const Bits sign = hn::ShiftLeft<16>(hn::And(half, set_bits(0x8000)));
    const Bits magnitude = hn::And(half, set_bits(0x7fff));
    const Bits moved = hn::Add(hn::ShiftLeft<13>(magnitude), set_bits((127 - 15) << 23));
    // Infinities and NaNs have the largest exponent here, too.
    const Bits special = hn::Or(hn::ShiftLeft<13>(magnitude), set_bits(kF32Infinity));
    const Bits quiet = hn::IfThenElseZero(hn::Gt(magnitude, set_bits(0x7c00)), set_bits(kQuietBit));
    // A subnormal is an integer times 2^-24; both steps are exact.
    const auto integer = hn::ConvertTo(d, hn::BitCast(IntTag(), magnitude));
    const Bits tiny = hn::BitCast(BitsTag(), hn::Mul(integer, hn::Set(d, 0x1p-24F)));
    const Bits normal = hn::IfThenElse(hn::Gt(set_bits(0x0400), magnitude), tiny, moved);
    return hn::Or(sign, hn::IfThenElse(hn::Gt(magnitude, set_bits(0x7bff)), hn::Or(special, quiet), normal));
  }
};

struct NarrowBf16 {
  static HWY_INLINE Bits make(Bits x) {
    const Bits upper = hn::ShiftRight<16>(x);
    const Bits rounded =
        hn::ShiftRight<16>(hn::Add(x, hn::Add(hn::And(upper, set_bits(1)), set_bits(0x7fff))));
    const auto nan = hn::Gt(hn::And(x, set_bits(kMagnitudeBits)), set_bits(kF32Infinity));
    return hn::IfThenElse(nan, hn::Or(upper, set_bits(kQuietBit >> 16)), rounded);
  }
};

struct NarrowF16 {
  static HWY_INLINE Bits make(Bits x) {
    const FloatTag d;
    const Bits magnitude = hn::And(x, set_bits(kMagnitudeBits));
    const Bits sign = hn::ShiftRight<16>(hn::Xor(x, magnitude));
    const Bits odd = hn::And(hn::ShiftRight<13>(magnitude), set_bits(1));
    const Bits normal =
        hn::ShiftRight<13>(hn::Add(magnitude, hn::Add(odd, set_bits(0xfff - (uint32_t{127 - 15} << 23)))));
    // Below 2^-14: the addition of 1/2 rounds to a multiple of 2^-24, which is then the low bits.
    const auto sum = hn::Add(hn::BitCast(d, magnitude), hn::Set(d, 0.5F));
    const Bits tiny = hn::Sub(hn::BitCast(BitsTag(), sum), set_bits(126 << 23));
    const Bits payload = hn::And(hn::ShiftRight<13>(magnitude), set_bits(0x01ff));
    const auto nan = hn::Gt(magnitude, set_bits(kF32Infinity));
    const Bits special = hn::IfThenElse(nan, hn::Or(payload, set_bits(0x7e00)), set_bits(0x7c00));
    Bits half = hn::IfThenElse(hn::Gt(set_bits((127 - 14) << 23), magnitude), tiny, normal);
    half = hn::IfThenElse(hn::Gt(magnitude, set_bits(((127 + 16) << 23) - 1)), special, half);
    return hn::Or(sign, half);
  }
};

template <class From, bool kAdd>
HWY_INLINE void widen_values(const uint8_t* src, size_t n, float* dst) {
  const FloatTag d;
  const size_t lanes = hn::Lanes(d);
  const auto run = [d](const uint8_t* from, float* to) HWY_ATTR {
    auto value = hn::BitCast(d, From::load(from));
    if (kAdd) value = hn::Add(hn::LoadU(d, to), value);
    hn::StoreU(value, d, to);
  };
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) run(src + i * From::kBytes, dst + i);
  if (i == n) return;
  uint8_t from[hn::MaxLanes(FloatTag()) * From::kBytes] = {};
  float to[hn::MaxLanes(FloatTag())] = {};
  std::memcpy(from, src + i * From::kBytes, (n - i) * From::kBytes);
  if (kAdd) std::memcpy(to, dst + i, (n - i) * sizeof(float));
  run(from, to);
  std::memcpy(dst + i, to, (n - i) * sizeof(float));
}

template <class To>
HWY_INLINE void narrow_values(const float* src, size_t n, uint8_t* dst) {
  const FloatTag d;
  const size_t lanes = hn::Lanes(d);
  const auto run = [d](const float* from, uint8_t* to) HWY_ATTR {
    const Bits half = To::make(hn::BitCast(BitsTag(), hn::LoadU(d, from)));
    const auto words = hn::DemoteTo(HalfTag(), hn::BitCast(IntTag(), half));
    hn::StoreU(words, HalfTag(), reinterpret_cast<uint16_t*>(to));
  };
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) run(src + i, dst + i * 2);
  if (i == n) return;
  float from[hn::MaxLanes(FloatTag())] = {};
  uint8_t to[hn::MaxLanes(FloatTag()) * 2];
  std::memcpy(from, src + i, (n - i) * sizeof(float));
  run(from, to);
  std::memcpy(dst + i * 2, to, (n - i) * 2);
}

}  // namespace netsense::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
