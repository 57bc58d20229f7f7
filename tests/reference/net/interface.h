// Which interface the plugins use: the first that netsense would choose.
#pragma once

#include <string>
#include <vector>

#include "tests/reference/net/net.h"
#include "tests/reference/net/options.h"
#include "tests/reference/tcp/socket.h"

namespace netsense::reference {

struct Interface {
  SocketAddress address;
  std::string name;
  std::string pci_path;
  int speed_mbps;
};

// Chosen once; null when there is none.
const Interface* interface();

std::vector<Device> describe_devices(const Options& options);

}  // namespace netsense::reference
