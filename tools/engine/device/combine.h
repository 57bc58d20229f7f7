// One slice's worth of work: reduce some sources, write the result to some places.
#pragma once

#include <cstddef>
#include <span>

#include "tools/engine/device/reduce.h"

namespace netsense::engine {

// Reads sources in order and writes the result to every destination; a destination may be a source. `pre`
// applies to the first source, `post` to the result.
void combine(const Arithmetic& arithmetic, std::span<const std::byte* const> sources,
             std::span<std::byte* const> destinations, size_t count, bool pre, bool post);

}  // namespace netsense::engine
