// Integer arithmetic that planning and its users share.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>

namespace netsense::engine {

template <std::integral Int>
constexpr Int div_up(Int value, Int divisor) {
  return (value + divisor - 1) / divisor;
}

template <std::integral Int>
constexpr Int align_up(Int value, Int step) {
  return div_up(value, step) * step;
}

constexpr int pow2_up(int value) {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(value)));
}

// Position of the highest bit set; value > 0.
constexpr int log2_down(size_t value) {
  return std::bit_width(value) - 1;
}

}  // namespace netsense::engine
