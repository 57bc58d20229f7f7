// Files made for the tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace netsense::codec::testing {

using Bytes = std::vector<uint8_t>;

// .npy of version 1 with this header, then so many bytes of data.
Bytes npy(const std::string& header, size_t data_bytes);
// .safetensors with this header, then so many bytes of data.
Bytes safetensors(const std::string& header, size_t data_bytes);
// Elements of f32 such as gradients are: random signs and mantissas, few exponents. Always the same.
Bytes floats(size_t elements);

}  // namespace netsense::codec::testing
