// Which network interfaces become devices: the ones that NCCL's own socket transport would take.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>
#include <vector>

#include "plugin/config/settings.h"

namespace netsense::transport {

struct Interface {
  std::string name;
  sockaddr_storage address{};    // with the scope of a link-local address, without a port
  socklen_t address_length = 0;  // 0: it has no address of the family asked for
  int index = 0;
  int speed_mbps = 0;          // from sysfs; 10000, as NCCL assumes, when sysfs does not say
  bool speed_assumed = false;  // sysfs does not say
  std::string pci_path;  // real path of its device in sysfs, as NCCL wants it; empty for a virtual interface
  std::string reason;    // why it was chosen or rejected
};

struct InterfaceChoice {
  std::vector<Interface> chosen;    // one per device, in the system's order
  std::vector<Interface> rejected;  // everything else that the system has
};

// One entry of the list that getifaddrs() gives.
struct SystemAddress {
  std::string name;
  int index = 0;
  unsigned int flags = 0;      // IFF_UP and so on
  sockaddr_storage address{};  // of family AF_UNSPEC when it is neither IPv4 nor IPv6
  sockaddr_storage netmask{};
};

// All that the choice depends on besides the settings; tests bring their own.
struct SystemView {
  std::vector<SystemAddress> addresses;
  std::string sysfs = "/sys/class/net";
  std::string comm_id;  // NCCL_COMM_ID, "address:port"; empty: not set
};

SystemView read_system();

// At most kMaxInterfaces; none when none matches, with the reasons.
inline constexpr size_t kMaxInterfaces = 16;  // NCCL's own limit
InterfaceChoice find_interfaces(const config::Settings& settings, const SystemView& system);
InterfaceChoice find_interfaces(const config::Settings& settings);

// NCCL's grammar for NCCL_SOCKET_IFNAME: a comma list of prefixes; with "=" in front, of whole names; with
// "^" in front, of what not to take ("^=" for both). Both marks stand once, before the first name, and hold
// for all. An entry may carry ":port", which does not matter here. Blanks belong to the name, entries after
// the 16th do not count, and a list without entries matches everything.
bool matches_interface_list(std::string_view list, std::string_view name);

}  // namespace netsense::transport
