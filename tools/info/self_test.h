// Messages from this process to itself through the exported symbols of a plugin library, as NCCL would send
// them.
#pragma once

#include <string>
#include <vector>

namespace netsense::info {

struct SelfTest {
  bool run = false;
  bool passed = false;
  std::string detail;  // what was done, or what failed
  int net_version = 0;
  std::vector<std::string> devices;
  std::vector<size_t> sizes;     // bytes
  std::vector<std::string> log;  // what the plugin told NCCL's log
};

// Every device of the newest ncclNet in the library: connect there and back, send each size, compare.
SelfTest run_self_test(const std::string& library_path);

}  // namespace netsense::info
