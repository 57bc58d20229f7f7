// One body, compiled once per instruction set (checksum_avx2.cc): xxHash picks its vector code from the
// compiler's target, and the plugin must run on CPUs older than the build machine.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>

namespace netsense::core {

using ChecksumFunction = uint64_t (*)(const void* data, size_t bytes);

#if defined(__x86_64__)
uint64_t checksum_avx2(const void* data, size_t bytes);
#endif

}  // namespace netsense::core
