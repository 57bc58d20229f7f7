// Little-endian integers in byte buffers.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>

namespace netsense::core {

template <std::unsigned_integral T>
constexpr T to_little_endian(T value) {
  if constexpr (std::endian::native == std::endian::little || sizeof(T) == 1) {
    return value;
  } else {
    T swapped = 0;
    for (size_t i = 0; i < sizeof(T); ++i)
      swapped |= ((value >> (8 * i)) & 0xff) << (8 * (sizeof(T) - 1 - i));
    return swapped;
  }
}

template <std::unsigned_integral T>
void store_le(std::byte* at, T value) {
  value = to_little_endian(value);
  std::memcpy(at, &value, sizeof value);
}

template <std::unsigned_integral T>
T load_le(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return to_little_endian(value);
}

}  // namespace netsense::core
