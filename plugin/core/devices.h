// What the process offers to NCCL, for the parts that offer it: net.h and plugin/collnet.
#pragma once

#include "plugin/config/settings.h"
#include "plugin/transport/transport.h"

namespace netsense::core {

struct Device {
  transport::Transport* transport;
  int index;  // within its transport
  const transport::DeviceInfo* info;
};

// Null for a number that does not exist, and before the first init. Valid until the process ends.
const Device* find_device(int device);

// As read at the first init.
const config::Settings& settings();

}  // namespace netsense::core
