// Large messages in registered memory, as NCCL sends them.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/loopback/scene.h"

namespace netsense::testing {

constexpr size_t kBulkBytes = size_t{3} << 20;
constexpr int kBulkMessages = 4;

// kBulkBytes of floats with a handful of exponents, as gradients have them.
std::vector<uint8_t> compressible();
// kBulkBytes of chance.
std::vector<uint8_t> incompressible();

// Sends kBulkMessages of these over a connection of their own, and requires that they come out as they went
// in.
void transfer(const Library12& net, std::vector<uint8_t> data);

}  // namespace netsense::testing
