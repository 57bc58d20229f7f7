// Sends messages from this process to itself through the symbols that NCCL would use.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tools/info/loaded.h"

namespace netsense::info {

struct DeviceTest {
  std::string device;
  bool passed = false;
  std::string detail;  // what was sent, or what went wrong
};

struct SelfTest {
  bool passed = false;
  std::string error;  // why no device could be tested; empty: see devices
  std::vector<DeviceTest> devices;
  std::vector<std::string> log;  // what the plugin told NCCL's log
};

// limit: for each step (connecting, one message) on each device.
SelfTest run_self_test(const Loaded& plugin, std::chrono::milliseconds limit);

}  // namespace netsense::info
