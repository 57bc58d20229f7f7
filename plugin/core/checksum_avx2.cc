#include "plugin/core/checksum_impl.h"

namespace netsense::core {

uint64_t checksum_avx2(const void* data, size_t bytes) {
  return XXH3_64bits(data, bytes);
}

}  // namespace netsense::core
