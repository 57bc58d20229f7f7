// What a coder of exponents can at best reach.
#pragma once

#include <cstdint>
#include <span>

#include "tools/codec/types.h"

namespace netsense::codec {

// Bits per element: H(exponent) + P(not zero) x (1 + mantissa bits), over the whole data; a zero of either
// sign carries no mantissa (docs/codecs.md). Bytes behind the last whole element are not counted. type must
// be a float.
double bound_bits(DType type, std::span<const uint8_t> data);

}  // namespace netsense::codec
