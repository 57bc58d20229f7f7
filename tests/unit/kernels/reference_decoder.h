// A second decoder, one element at a time, written from docs/codecs.md and sharing no code with the library:
// what it makes of the coded bytes is what the format says they mean.
#pragma once

#include <optional>

#include "tests/unit/kernels/contents.h"

namespace netsense::kernels::testing {

std::optional<Bytes> reference_decode(const Bytes& coded);

}  // namespace netsense::kernels::testing
