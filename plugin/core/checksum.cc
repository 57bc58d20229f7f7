#include "plugin/core/checksum.h"

#include "plugin/core/checksum_impl.h"

namespace netsense::core {
namespace {

uint64_t checksum_baseline(const void* data, size_t bytes) {
  return XXH3_64bits(data, bytes);
}

ChecksumFunction best_checksum() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return checksum_avx2;
#endif
  return checksum_baseline;
}

}  // namespace

uint64_t block_checksum(const void* data, size_t bytes) {
  static const ChecksumFunction function = best_checksum();
  return function(data, bytes);
}

}  // namespace netsense::core
