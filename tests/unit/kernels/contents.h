// Inputs for the codecs: everything that a buffer of floats may hold, from gradients to noise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cpu/codec.h"

namespace netsense::kernels::testing {

using Bytes = std::vector<uint8_t>;

constexpr DType kAllTypes[] = {DType::kBytes, DType::kF32,    DType::kF16,   DType::kBf16,
                               DType::kF64,   DType::kF8E4M3, DType::kF8E5M2};
constexpr DType kFloatTypes[] = {DType::kF32, DType::kF16,    DType::kBf16,
                                 DType::kF64, DType::kF8E4M3, DType::kF8E5M2};
constexpr Tier kTiers[] = {Tier::kFast, Tier::kTight};

enum class Content {
  kZeros,
  kNegativeZeros,
  kOneValue,
  kGradients,  // normal with row scales, some zeros
  kSparse,     // nine in ten are zeros of either sign
  kSubnormals,
  kNanPayloads,   // and infinities
  kAllExponents,  // each as likely as the next
  kTwoExtremes,   // the smallest and the largest exponents only
  kTruncated,     // gradients whose low mantissa bits are 0
  kAlternating,   // two values in turn
  kSorted,        // from the least to the largest
  kPowers,        // each power of two half as likely as the next; made without floating-point arithmetic
  kNoise,
};
constexpr Content kContents[] = {Content::kZeros,       Content::kNegativeZeros, Content::kOneValue,
                                 Content::kGradients,   Content::kSparse,        Content::kSubnormals,
                                 Content::kNanPayloads, Content::kAllExponents,  Content::kTwoExtremes,
                                 Content::kTruncated,   Content::kAlternating,   Content::kSorted,
                                 Content::kPowers,      Content::kNoise};

std::string name_of(DType type);
std::string name_of(Content content);

// `bytes` bytes of it; a size that is no multiple of the element ends in a piece of one.
Bytes make_content(Content content, DType type, size_t bytes, uint64_t seed = 1);

// Elements with every bit pattern there is, for the types of up to 16 bits; for the others every exponent
// with every corner of the mantissa, and as many random patterns, half of them NaNs.
Bytes patterns(DType type);
// The same among gradients, so that they go through the coders: by themselves they are noise, which is kept
// raw.
Bytes patterns_among_gradients(DType type);

// One element from its bits, and from a number (rounded towards 0; out of range gives the largest).
void put_bits(Bytes& bytes, size_t element, size_t size, uint64_t bits);
uint64_t bits_of(DType type, double value);

// Bits per element that a coder of exponents can at best reach on these bytes: the entropy of the exponents,
// and for every element that is no zero its sign and mantissa.
double bound_bits(DType type, const Bytes& bytes);

}  // namespace netsense::kernels::testing
