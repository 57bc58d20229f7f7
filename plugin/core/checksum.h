// XXH3-64 of a block, with the widest vector unit of this CPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace netsense::core {

uint64_t block_checksum(const void* data, size_t bytes);

}  // namespace netsense::core
