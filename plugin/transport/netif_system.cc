#include "plugin/transport/netif_system.h"

#include <ifaddrs.h>
#include <net/if.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "plugin/transport/netif.h"
#include "plugin/transport/netif_address.h"

namespace netsense::transport {
namespace {

sockaddr_storage copy_ip(const sockaddr* address) {
  sockaddr_storage result{};
  if (address == nullptr) return result;
  if (address->sa_family == AF_INET) std::memcpy(&result, address, sizeof(sockaddr_in));
  if (address->sa_family == AF_INET6) std::memcpy(&result, address, sizeof(sockaddr_in6));
  return result;
}

}  // namespace

SystemView read_system() {
  SystemView view;
  if (const char* id = std::getenv("NCCL_COMM_ID")) view.comm_id = id;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return view;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    view.addresses.push_back({entry->ifa_name, static_cast<int>(if_nametoindex(entry->ifa_name)),
                              entry->ifa_flags, copy_ip(entry->ifa_addr), copy_ip(entry->ifa_netmask)});
  }
  return view;
}

std::optional<int> read_speed_mbps(const std::string& sysfs, const std::string& name) {
  // Virtual interfaces say -1 or refuse to be read.
  std::ifstream file(std::filesystem::path(sysfs) / name / "speed");
  int speed = 0;
  return file >> speed && speed > 0 ? std::optional(speed) : std::nullopt;
}

std::string read_pci_path(const std::string& sysfs, const std::string& name) {
  std::error_code error;
  const auto device = std::filesystem::canonical(std::filesystem::path(sysfs) / name / "device", error);
  return error ? std::string() : device.string();
}

}  // namespace netsense::transport
