// What else the machine has that matters to a network plugin.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace netsense::info {

struct Facility {
  bool found = false;
  std::vector<std::string> devices;
  std::string detail;  // one line: what was found, or why nothing was
};

// InfiniBand verbs, through libibverbs.so.1.
Facility find_verbs();

// NVIDIA GPUs, through the driver's libcuda.so.1.
Facility find_cuda();

// How much memory may be locked, in bytes; nothing when there is no limit. Registered memory of RDMA counts,
// TCP needs none.
std::optional<uint64_t> memlock_limit();

}  // namespace netsense::info
