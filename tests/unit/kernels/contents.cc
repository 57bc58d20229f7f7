#include "tests/unit/kernels/contents.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace netsense::kernels::testing {
namespace {

using Random = std::mt19937_64;

double normal(Random& random) {
  // Box and Muller's way, so that the numbers are the same with every standard library.
  const auto uniform = [&random] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
  return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform());
}

struct Fields {
  FloatLayout layout;
  uint64_t sign_bit() const { return uint64_t{1} << (layout.exponent_bits + layout.mantissa_bits); }
  uint64_t exponents() const { return uint64_t{1} << layout.exponent_bits; }
  uint64_t mantissa(Random& random) const { return random() & ((uint64_t{1} << layout.mantissa_bits) - 1); }
  uint64_t any_sign(Random& random) const { return (random() & 1) != 0 ? sign_bit() : 0; }
  uint64_t make(uint64_t exponent, Random& random) const {
    const uint64_t sign = any_sign(random);  // first, with every compiler
    return sign | exponent << layout.mantissa_bits | mantissa(random);
  }
};

uint64_t gradient(DType type, size_t i, double zeros, Random& random) {
  const double row_scale = std::exp(0.7 * std::sin(static_cast<double>(i / 512)));
  const double value = normal(random) * row_scale * 0.25;
  return static_cast<double>(random() >> 11) * 0x1p-53 < zeros ? 0 : bits_of(type, value);
}

uint64_t element(Content content, DType type, size_t i, Random& random) {
  const Fields fields{float_layout(type)};
  switch (content) {
    case Content::kZeros:
      return 0;
    case Content::kNegativeZeros:
      return fields.any_sign(random);
    case Content::kOneValue:
      return bits_of(type, 1.5);
    case Content::kGradients:
      return gradient(type, i, 0.2, random);
    case Content::kSparse:
      return random() % 10 != 0 ? fields.any_sign(random) : gradient(type, i, 0, random);
    case Content::kSubnormals:
      return fields.make(random() % 3 == 0 ? 1 : 0, random);
    case Content::kNanPayloads:
      return fields.make(fields.exponents() - 1 - random() % 2, random);
    case Content::kAllExponents:
      return fields.make(random() % fields.exponents(), random);
    case Content::kTwoExtremes:
      return fields.make(random() % 2 == 0 ? 0 : fields.exponents() - 1, random);
    case Content::kTruncated: {
      const uint64_t low = (uint64_t{1} << fields.layout.mantissa_bits * 3 / 4) - 1;
      return gradient(type, i, 0.2, random) & ~low;
    }
    case Content::kAlternating:
      return bits_of(type, i % 2 == 0 ? 1.5 : -0.1);
    case Content::kSorted: {
      // In the order of the magnitudes' bits, with the sign on the side.
      const uint64_t magnitudes = fields.exponents() << fields.layout.mantissa_bits;
      const uint64_t step = std::max<uint64_t>(1, magnitudes >> 14);
      return (i * step % magnitudes) | (i % 3 == 0 ? fields.sign_bit() : 0);
    }
    case Content::kPowers: {
      const uint64_t middle = fields.exponents() / 2;
      const uint64_t below = std::min<uint64_t>(middle, static_cast<uint64_t>(std::countr_zero(random())));
      return random() % 5 == 0 ? 0 : fields.make(middle - below, random);
    }
    case Content::kNoise:
      break;
  }
  return random();
}

}  // namespace

std::string name_of(DType type) {
  switch (type) {
    case DType::kBytes:
      return "bytes";
    case DType::kF32:
      return "f32";
    case DType::kF16:
      return "f16";
    case DType::kBf16:
      return "bf16";
    case DType::kF64:
      return "f64";
    case DType::kF8E4M3:
      return "e4m3";
    case DType::kF8E5M2:
      return "e5m2";
  }
  return "?";
}

std::string name_of(Content content) {
  constexpr const char* kNames[] = {
      "zeros",         "negative zeros", "one value", "gradients",   "sparse", "subnormals", "NaN payloads",
      "all exponents", "two extremes",   "truncated", "alternating", "sorted", "powers",     "noise"};
  return kNames[static_cast<size_t>(content)];
}

void put_bits(Bytes& bytes, size_t element, size_t size, uint64_t bits) {
  const size_t at = element * size;
  std::memcpy(bytes.data() + at, &bits, std::min(size, bytes.size() - at));
}

uint64_t bits_of(DType type, double value) {
  const FloatLayout layout = float_layout(type);
  if (layout.exponent_bits == 0) return static_cast<uint64_t>(std::lround(value * 64));
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const uint64_t sign = bits >> 63 << (layout.exponent_bits + layout.mantissa_bits);
  const int64_t bias = (int64_t{1} << (layout.exponent_bits - 1)) - 1;
  const int64_t exponent = static_cast<int64_t>(bits >> 52 & 0x7ff) - 1023 + bias;
  const uint64_t significand =
      (bits & ((uint64_t{1} << 52) - 1)) | (exponent + 1023 - bias != 0 ? uint64_t{1} << 52 : 0);
  if (exponent <= 0) {
    const int64_t shift = 52 - layout.mantissa_bits + 1 - exponent;
    return sign | (shift < 64 ? significand >> shift : 0);
  }
  const uint64_t largest = (uint64_t{1} << (layout.exponent_bits + layout.mantissa_bits)) - 1;
  const uint64_t mantissa = (significand & ((uint64_t{1} << 52) - 1)) >> (52 - layout.mantissa_bits);
  return sign | std::min(largest, static_cast<uint64_t>(exponent) << layout.mantissa_bits | mantissa);
}

Bytes make_content(Content content, DType type, size_t bytes, uint64_t seed) {
  Random random(seed);
  Bytes result(bytes);
  const size_t size = float_layout(type).bytes;
  for (size_t i = 0; i * size < bytes; ++i) put_bits(result, i, size, element(content, type, i, random));
  return result;
}

Bytes patterns(DType type) {
  const Fields fields{float_layout(type)};
  const size_t size = fields.layout.bytes;
  std::vector<uint64_t> elements;
  if (size <= 2) {
    for (uint64_t bits = 0; bits < uint64_t{1} << 8 * size; ++bits) elements.push_back(bits);
  } else {
    const uint64_t full = (uint64_t{1} << fields.layout.mantissa_bits) - 1;
    for (uint64_t exponent = 0; exponent < fields.exponents(); ++exponent) {
      for (const uint64_t mantissa : {uint64_t{0}, uint64_t{1}, full / 2, full / 2 + 1, full}) {
        const uint64_t magnitude = exponent << fields.layout.mantissa_bits | mantissa;
        elements.push_back(magnitude);
        elements.push_back(fields.sign_bit() | magnitude);
      }
    }
    Random random(13);
    for (size_t i = elements.size(); i-- > 0;) {
      elements.push_back(i % 2 == 0 ? fields.make(fields.exponents() - 1, random) : random());
    }
  }
  Bytes result(elements.size() * size);
  for (size_t i = 0; i < elements.size(); ++i) put_bits(result, i, size, elements[i]);
  return result;
}

Bytes patterns_among_gradients(DType type) {
  constexpr size_t kEvery = 32;
  const size_t size = float_layout(type).bytes;
  const Bytes odd = patterns(type);
  Bytes result = make_content(Content::kGradients, type, odd.size() * kEvery);
  // Each at another place of its 32.
  for (size_t i = 0; i < odd.size() / size; ++i)
    std::memcpy(&result[(i * kEvery + i % kEvery) * size], &odd[i * size], size);
  return result;
}

double bound_bits(DType type, const Bytes& bytes) {
  const FloatLayout layout = float_layout(type);
  const size_t n = bytes.size() / layout.bytes;
  std::vector<size_t> counts(size_t{1} << layout.exponent_bits);
  size_t nonzero = 0;
  for (size_t i = 0; i < n; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * layout.bytes, layout.bytes);
    const uint64_t magnitude = bits & ((uint64_t{1} << (layout.exponent_bits + layout.mantissa_bits)) - 1);
    ++counts[magnitude >> layout.mantissa_bits];
    if (magnitude != 0) ++nonzero;
  }
  double entropy = 0;
  for (const size_t count : counts) {
    if (count != 0)
      entropy -= static_cast<double>(count) * std::log2(static_cast<double>(count) / static_cast<double>(n));
  }
  return (entropy + static_cast<double>(nonzero) * (1 + layout.mantissa_bits)) / static_cast<double>(n);
}

}  // namespace netsense::kernels::testing
