// A second decoder, one element at a time, written from docs/codecs.md and sharing no code with the library:
// what it makes of the coded bytes is what the format says they mean.
#pragma once

#include <optional>
#include <vector>

#include "tests/unit/kernels/contents.h"

namespace netsense::kernels::testing {

std::optional<Bytes> reference_decode(const Bytes& coded);

// Lossy blocks, and lossless ones of f32, of up to 65536 elements.
std::optional<std::vector<float>> reference_decode_lossy(const Bytes& coded);

}  // namespace netsense::kernels::testing
