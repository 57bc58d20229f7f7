#include "plugin/collnet/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/convert.h"
#include "plugin/collnet/float8.h"

namespace netsense::collnet {
namespace {

template <typename T>
T combine(Op op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;  // wraps around
    using Wide = std::conditional_t<sizeof(T) < 4, uint32_t, Unsigned>;
    switch (op) {
      case Op::kSum:
        return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
      case Op::kProd:
        return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
      case Op::kMax:
        return a > b ? a : b;
      case Op::kMin:
        return a < b ? a : b;
    }
  } else {
    switch (op) {
      case Op::kSum:
        return a + b;
      case Op::kProd:
        return a * b;
      case Op::kMax:
        return std::fmax(a, b);
      case Op::kMin:
        return std::fmin(a, b);
    }
  }
  return a;
}

// The switch over the operation is outside the loop, so that the loops are vectorised.
template <Op kOp, typename T>
void add_elements(const std::byte* elements, size_t count, std::byte* sum) {
  for (size_t i = 0; i < count; ++i) {
    T a;
    T b;
    std::memcpy(&a, sum + i * sizeof(T), sizeof(T));
    std::memcpy(&b, elements + i * sizeof(T), sizeof(T));
    a = combine<T>(kOp, a, b);
    std::memcpy(sum + i * sizeof(T), &a, sizeof(T));
  }
}

template <typename T>
void add_typed(Op op, const std::byte* elements, size_t count, std::byte* sum) {
  switch (op) {
    case Op::kSum:
      return add_elements<Op::kSum, T>(elements, count, sum);
    case Op::kProd:
      return add_elements<Op::kProd, T>(elements, count, sum);
    case Op::kMax:
      return add_elements<Op::kMax, T>(elements, count, sum);
    case Op::kMin:
      return add_elements<Op::kMin, T>(elements, count, sum);
  }
}

kernels::DType codec_type(Type type) {
  return type == Type::kF16    ? kernels::DType::kF16
         : type == Type::kBf16 ? kernels::DType::kBf16
                               : kernels::DType::kF32;
}

bool is_float8(Type type) {
  return type == Type::kF8E4M3 || type == Type::kF8E5M2;
}

float* as_floats(std::byte* sum) {
  return reinterpret_cast<float*>(sum);
}

const float* as_floats(const std::byte* sum) {
  return reinterpret_cast<const float*>(sum);
}

// As f32.
void widen(Type type, const std::byte* elements, size_t count, float* to) {
  if (!is_float8(type)) {
    kernels::to_f32(codec_type(type), elements, count, to);
    return;
  }
  const Float8Layout layout = type == Type::kF8E4M3 ? kE4M3 : kE5M2;
  for (size_t i = 0; i < count; ++i) to[i] = from_float8(layout, static_cast<uint8_t>(elements[i]));
}

}  // namespace

size_t element_bytes(Type type) {
  switch (type) {
    case Type::kInt8:
    case Type::kUint8:
    case Type::kF8E4M3:
    case Type::kF8E5M2:
      return 1;
    case Type::kF16:
    case Type::kBf16:
      return 2;
    case Type::kInt32:
    case Type::kUint32:
    case Type::kF32:
      return 4;
    case Type::kInt64:
    case Type::kUint64:
    case Type::kF64:
      return 8;
  }
  return 0;
}

bool sums_in_f32(Type type) {
  return type == Type::kF16 || type == Type::kF32 || type == Type::kBf16 || is_float8(type);
}

size_t sum_element_bytes(Type type) {
  return sums_in_f32(type) ? sizeof(float) : element_bytes(type);
}

void begin_sum(Type type, const std::byte* elements, size_t count, std::byte* sum) {
  if (sums_in_f32(type)) {
    widen(type, elements, count, as_floats(sum));
  } else {
    std::memcpy(sum, elements, count * element_bytes(type));
  }
}

void add_to_sum(Type type, Op op, const std::byte* elements, size_t count, std::byte* sum) {
  switch (type) {
    case Type::kInt8:
      return add_typed<int8_t>(op, elements, count, sum);
    case Type::kUint8:
      return add_typed<uint8_t>(op, elements, count, sum);
    case Type::kInt32:
      return add_typed<int32_t>(op, elements, count, sum);
    case Type::kUint32:
      return add_typed<uint32_t>(op, elements, count, sum);
    case Type::kInt64:
      return add_typed<int64_t>(op, elements, count, sum);
    case Type::kUint64:
      return add_typed<uint64_t>(op, elements, count, sum);
    case Type::kF64:
      return add_typed<double>(op, elements, count, sum);
    case Type::kF32:
      return add_typed<float>(op, elements, count, sum);
    case Type::kF16:
    case Type::kBf16:
      if (op == Op::kSum) {
        kernels::add_f32(codec_type(type), elements, count, as_floats(sum));
        return;
      }
      [[fallthrough]];
    case Type::kF8E4M3:
    case Type::kF8E5M2:
      break;
  }
  constexpr size_t kChunk = 256;
  float wide[kChunk];
  for (size_t done = 0; done < count; done += kChunk) {
    const size_t some = std::min(kChunk, count - done);
    widen(type, elements + done * element_bytes(type), some, wide);
    add_typed<float>(op, reinterpret_cast<const std::byte*>(wide), some, sum + done * sizeof(float));
  }
}

void end_sum(Type type, const std::byte* sum, size_t count, std::byte* elements) {
  if (!sums_in_f32(type)) {
    std::memcpy(elements, sum, count * element_bytes(type));
  } else if (is_float8(type)) {
    const Float8Layout layout = type == Type::kF8E4M3 ? kE4M3 : kE5M2;
    for (size_t i = 0; i < count; ++i)
      elements[i] = static_cast<std::byte>(to_float8(layout, as_floats(sum)[i]));
  } else {
    kernels::from_f32(codec_type(type), as_floats(sum), count, elements);
  }
}

}  // namespace netsense::collnet
