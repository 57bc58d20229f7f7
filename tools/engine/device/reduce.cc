#include "tools/engine/device/reduce.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tools/engine/device/small_floats.h"

namespace netsense::engine {
namespace {

// A type as stored, and how it is computed with.
template <typename T>
struct Plain {
  using Stored = T;
  using Wide = T;
  static Wide widen(T value) { return value; }
  static T narrow(Wide value) { return value; }
  static constexpr bool kInteger = std::is_integral_v<T>;
  static constexpr bool kByTable = false;
};

// float holds sums and products of halves exactly enough that rounding once more gives the half's own result.
struct Half {
  using Stored = uint16_t;
  using Wide = float;
  static float widen(uint16_t value) { return half_to_float(value); }
  static uint16_t narrow(float value) { return float_to_half(value); }
  static constexpr bool kInteger = false;
  static constexpr bool kByTable = false;
};

struct BFloat16 {
  using Stored = uint16_t;
  using Wide = float;
  static float widen(uint16_t value) { return bfloat16_to_float(value); }
  static uint16_t narrow(float value) { return float_to_bfloat16(value); }
  static constexpr bool kInteger = false;
  static constexpr bool kByTable = false;
};

// NCCL computes in half and then rounds to eight bits.
template <typename Format>
struct Float8 {
  using Stored = uint8_t;
  using Wide = float;
  static float widen(uint8_t value) { return kValues[value]; }
  static uint8_t narrow(float value) { return Format::from_float(half_to_float(float_to_half(value))); }
  static constexpr bool kInteger = false;
  static constexpr bool kByTable = true;

  static constexpr std::array<float, 256> kValues = [] {
    std::array<float, 256> values{};
    for (unsigned i = 0; i < 256; ++i) values[i] = Format::to_float(static_cast<uint8_t>(i));
    return values;
  }();
};

// Integers wrap around.
template <typename T>
T wrapping_add(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
  } else {
    return a + b;
  }
}

template <typename T>
T wrapping_multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;
    return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
  } else {
    return a * b;
  }
}

// A NaN loses against a number, and -0 is less than +0.
template <typename T, bool Max>
T extreme(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return Max ? (a < b ? b : a) : (b < a ? b : a);
  } else {
    const bool a_wins = Max ? a > b : a < b;
    const bool zero_wins = a == b && (__builtin_signbit(a) != 0) != Max;
    return a_wins || zero_wins || __builtin_isnan(b) ? a : b;
  }
}

struct Sum {
  template <typename T>
  static T apply(T a, T b) {
    return wrapping_add(a, b);
  }
};
struct Product {
  template <typename T>
  static T apply(T a, T b) {
    return wrapping_multiply(a, b);
  }
};
struct Maximum {
  template <typename T>
  static T apply(T a, T b) {
    return extreme<T, true>(a, b);
  }
};
struct Minimum {
  template <typename T>
  static T apply(T a, T b) {
    return extreme<T, false>(a, b);
  }
};

template <typename Type, typename Op>
void reduce(void* accumulator, const void* operand, size_t count) {
  using Stored = typename Type::Stored;
  auto* __restrict into = static_cast<Stored*>(accumulator);
  const auto* __restrict from = static_cast<const std::byte*>(operand);
  for (size_t i = 0; i < count; ++i) {
    Stored value;  // users' buffers may be misaligned
    std::memcpy(&value, from + i * sizeof(Stored), sizeof(Stored));
    into[i] = Type::narrow(Op::apply(Type::widen(into[i]), Type::widen(value)));
  }
}

// Eight bits have few enough pairs to compute all of them once.
template <typename Type, typename Op>
void reduce_by_table(void* accumulator, const void* operand, size_t count) {
  static const std::array<uint8_t, 65536> table = [] {
    std::array<uint8_t, 65536> results{};
    for (size_t i = 0; i < results.size(); ++i) {
      const float a = Type::widen(static_cast<uint8_t>(i >> 8));
      const float b = Type::widen(static_cast<uint8_t>(i));
      results[i] = Type::narrow(Op::apply(a, b));
    }
    return results;
  }();
  auto* __restrict into = static_cast<uint8_t*>(accumulator);
  const auto* __restrict from = static_cast<const uint8_t*>(operand);
  for (size_t i = 0; i < count; ++i) into[i] = table[static_cast<size_t>(into[i]) << 8 | from[i]];
}

template <typename Type, typename Op>
constexpr Arithmetic::Reduce reduction() {
  if constexpr (Type::kByTable) {
    return reduce_by_table<Type, Op>;
  } else {
    return reduce<Type, Op>;
  }
}

template <typename Type>
void multiply_by_share(void* values, size_t count, int ranks) {
  auto* into = static_cast<typename Type::Stored*>(values);
  const auto share = Type::widen(Type::narrow(static_cast<typename Type::Wide>(1.0 / ranks)));
  for (size_t i = 0; i < count; ++i) into[i] = Type::narrow(Type::widen(into[i]) * share);
}

template <typename Type>
void divide(void* values, size_t count, int ranks) {
  auto* into = static_cast<typename Type::Stored*>(values);
  for (size_t i = 0; i < count; ++i) {
    into[i] = static_cast<typename Type::Stored>(into[i] / static_cast<typename Type::Stored>(ranks));
  }
}

template <typename Type>
Arithmetic make(ns_op op, int ranks) {
  Arithmetic arithmetic;
  arithmetic.element = sizeof(typename Type::Stored);
  arithmetic.ranks = ranks;
  switch (op) {
    case ns_prod:
      arithmetic.reduce = reduction<Type, Product>();
      break;
    case ns_max:
      arithmetic.reduce = reduction<Type, Maximum>();
      break;
    case ns_min:
      arithmetic.reduce = reduction<Type, Minimum>();
      break;
    default:
      arithmetic.reduce = reduction<Type, Sum>();
  }
  if (op == ns_avg) {
    if constexpr (Type::kInteger) {
      arithmetic.post = divide<Type>;
    } else {
      arithmetic.pre = multiply_by_share<Type>;
    }
  }
  return arithmetic;
}

}  // namespace

Arithmetic arithmetic_for(ns_type type, ns_op op, int ranks) {
  switch (type) {
    case ns_int8:
      return make<Plain<int8_t>>(op, ranks);
    case ns_uint8:
      return make<Plain<uint8_t>>(op, ranks);
    case ns_int32:
      return make<Plain<int32_t>>(op, ranks);
    case ns_uint32:
      return make<Plain<uint32_t>>(op, ranks);
    case ns_int64:
      return make<Plain<int64_t>>(op, ranks);
    case ns_uint64:
      return make<Plain<uint64_t>>(op, ranks);
    case ns_float16:
      return make<Half>(op, ranks);
    case ns_float64:
      return make<Plain<double>>(op, ranks);
    case ns_bfloat16:
      return make<BFloat16>(op, ranks);
    case ns_float8_e4m3:
      return make<Float8<Float8E4M3>>(op, ranks);
    case ns_float8_e5m2:
      return make<Float8<Float8E5M2>>(op, ranks);
    default:
      return make<Plain<float>>(op, ranks);
  }
}

}  // namespace netsense::engine
