#include "tools/codec/bound.h"

#include <cmath>
#include <cstring>
#include <vector>

namespace netsense::codec {

double bound_bits(DType type, std::span<const uint8_t> data) {
  const kernels::FloatLayout layout = kernels::float_layout(type);
  const size_t elements = data.size() / layout.bytes;
  if (elements == 0) return 0;
  std::vector<size_t> counts(size_t{1} << layout.exponent_bits);
  size_t zeros = 0;
  const unsigned sign_at = layout.exponent_bits + layout.mantissa_bits;
  for (size_t i = 0; i < elements; ++i) {
    uint64_t element = 0;
    std::memcpy(&element, data.data() + i * layout.bytes, layout.bytes);
    const uint64_t magnitude = element & ((uint64_t{1} << sign_at) - 1);
    ++counts[magnitude >> layout.mantissa_bits];
    if (magnitude == 0) ++zeros;
  }
  const double n = static_cast<double>(elements);
  double entropy = 0;
  for (const size_t count : counts) {
    if (count != 0) entropy -= static_cast<double>(count) / n * std::log2(static_cast<double>(count) / n);
  }
  return entropy + (1 - static_cast<double>(zeros) / n) * (1 + layout.mantissa_bits);
}

}  // namespace netsense::codec
