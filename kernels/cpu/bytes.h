// Little-endian integers in byte buffers.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace netsense::kernels {

// The vector code moves whole registers between memory and lanes.
static_assert(std::endian::native == std::endian::little,
              "the codecs are written for little-endian machines");

template <std::unsigned_integral T>
T load_le(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <std::unsigned_integral T>
void store_le(uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// Fills dst with copies of the `period` bytes of `unit`; the last may be cut.
inline void repeat(const uint8_t* unit, size_t period, uint8_t* dst, size_t bytes) {
  size_t done = std::min(period, bytes);
  if (done != 0) std::memcpy(dst, unit, done);
  while (done < bytes) {
    const size_t more = std::min(done, bytes - done);
    std::memcpy(dst + done, dst, more);
    done += more;
  }
}

}  // namespace netsense::kernels
