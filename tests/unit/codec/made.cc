#include "tests/unit/codec/made.h"

#include <cmath>
#include <cstring>
#include <random>

namespace netsense::codec::testing {
namespace {

Bytes with_data(Bytes file, const std::string& header, size_t data_bytes) {
  file.insert(file.end(), header.begin(), header.end());
  for (size_t i = 0; i < data_bytes; ++i) file.push_back(static_cast<uint8_t>(i * 7));
  return file;
}

}  // namespace

Bytes npy(const std::string& header, size_t data_bytes) {
  return with_data({0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<uint8_t>(header.size()),
                    static_cast<uint8_t>(header.size() >> 8)},
                   header, data_bytes);
}

Bytes safetensors(const std::string& header, size_t data_bytes) {
  Bytes file(8);
  for (size_t i = 0; i < 8; ++i) file[i] = static_cast<uint8_t>(uint64_t{header.size()} >> (8 * i));
  return with_data(file, header, data_bytes);
}

Bytes floats(size_t elements) {
  std::mt19937 random(5);
  Bytes bytes(4 * elements);
  for (size_t i = 0; i < elements; ++i) {
    const uint32_t word = random();
    const float value =
        std::ldexp(1.0F + static_cast<float>(word >> 9) / 8388608.0F, -static_cast<int>(word % 8)) *
        ((word & 256) != 0 ? -1.0F : 1.0F);
    std::memcpy(&bytes[4 * i], &value, 4);
  }
  return bytes;
}

}  // namespace netsense::codec::testing
