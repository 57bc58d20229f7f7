// Unpredictable bytes (libsodium).
#pragma once

#include <sodium.h>

#include <array>
#include <cstddef>

namespace netsense::tcp {

template <size_t Count>
std::array<unsigned char, Count> random_bytes() {
  std::array<unsigned char, Count> bytes;
  randombytes_buf(bytes.data(), bytes.size());
  return bytes;
}

}  // namespace netsense::tcp
