#include "tests/unit/engine/reference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "tools/engine/device/small_floats.h"

namespace netsense::engine {
namespace {

template <typename T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

bool is_unsigned(ns_type type) {
  return type == ns_uint8 || type == ns_uint32 || type == ns_uint64;
}
bool is_integer(ns_type type) {
  return type <= ns_uint64;
}

}  // namespace

double TypedBuffer::get(size_t i) const {
  const std::byte* at = bytes_.data() + i * ns_type_size(type_);
  switch (type_) {
    case ns_int8:
      return load<int8_t>(at);
    case ns_uint8:
      return load<uint8_t>(at);
    case ns_int32:
      return load<int32_t>(at);
    case ns_uint32:
      return load<uint32_t>(at);
    case ns_int64:
      return static_cast<double>(load<int64_t>(at));
    case ns_uint64:
      return static_cast<double>(load<uint64_t>(at));
    case ns_float16:
      return half_to_float(load<uint16_t>(at));
    case ns_float64:
      return load<double>(at);
    case ns_bfloat16:
      return bfloat16_to_float(load<uint16_t>(at));
    case ns_float8_e4m3:
      return Float8E4M3::to_float(load<uint8_t>(at));
    case ns_float8_e5m2:
      return Float8E5M2::to_float(load<uint8_t>(at));
    default:
      return load<float>(at);
  }
}

void TypedBuffer::set(size_t i, double value) {
  std::byte* to = at(i);
  switch (type_) {
    case ns_int8:
    case ns_uint8:
      return store(to, static_cast<uint8_t>(static_cast<int>(value)));
    case ns_int32:
    case ns_uint32:
      return store(to, static_cast<uint32_t>(static_cast<int64_t>(value)));
    case ns_int64:
    case ns_uint64:
      return store(to, static_cast<int64_t>(value));
    case ns_float16:
      return store(to, float_to_half(static_cast<float>(value)));
    case ns_float64:
      return store(to, value);
    case ns_bfloat16:
      return store(to, float_to_bfloat16(static_cast<float>(value)));
    case ns_float8_e4m3:
      return store(to, Float8E4M3::from_float(static_cast<float>(value)));
    case ns_float8_e5m2:
      return store(to, Float8E5M2::from_float(static_cast<float>(value)));
    default:
      return store(to, static_cast<float>(value));
  }
}

double input_value(ns_op op, ns_type type, int rank, size_t i) {
  const uint64_t mixed =
      (i + 1) * 0x9e3779b97f4a7c15ULL + static_cast<uint64_t>(rank) * 0xc2b2ae3d27d4eb4fULL;
  const auto small = static_cast<int>(mixed >> 40 & 3);  // 0 to 3
  if (op == ns_prod) return is_unsigned(type) || small < 2 ? 1 + small % 2 : -2;
  if (is_unsigned(type)) return small;
  return small - 2 + (small == 0 ? 0 : 1);  // -2, 0, 1, 2
}

double reduced(ns_op op, ns_type type, int ranks, size_t i) {
  double result = input_value(op, type, 0, i);
  for (int rank = 1; rank < ranks; ++rank) {
    const double value = input_value(op, type, rank, i);
    if (op == ns_prod) {
      result *= value;
    } else if (op == ns_max) {
      result = std::max(result, value);
    } else if (op == ns_min) {
      result = std::min(result, value);
    } else {
      result += value;
    }
  }
  if (op != ns_avg) return result;
  return is_integer(type) ? std::trunc(result / ranks) : result / ranks;
}

}  // namespace netsense::engine
