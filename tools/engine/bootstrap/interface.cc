#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include "tools/engine/base/env.h"
#include "tools/engine/base/error.h"
#include "tools/engine/bootstrap/socket.h"

namespace netsense::engine {
namespace {

// NCCL_SOCKET_IFNAME: comma list of prefixes; "^" in front excludes them, "=" in front wants whole names.
bool name_allowed(std::string_view name, std::string_view list) {
  if (list.empty()) return true;
  const bool exclude = list.front() == '^';
  if (exclude) list.remove_prefix(1);
  const bool exact = !list.empty() && list.front() == '=';
  if (exact) list.remove_prefix(1);
  bool listed = false;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    const std::string_view entry = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    listed |= exact ? name == entry : name.starts_with(entry);
  }
  return listed != exclude;
}

bool family_allowed(int family, std::string_view wanted) {
  if (family != AF_INET && family != AF_INET6) return false;
  if (wanted == "AF_INET") return family == AF_INET;
  if (wanted == "AF_INET6") return family == AF_INET6;
  return true;
}

bool usable(const ifaddrs& entry, std::string_view names, std::string_view family) {
  if (entry.ifa_addr == nullptr || (entry.ifa_flags & IFF_UP) == 0) return false;
  if (!family_allowed(entry.ifa_addr->sa_family, family) || !name_allowed(entry.ifa_name, names))
    return false;
  if (entry.ifa_addr->sa_family != AF_INET6) return true;
  return !IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr)->sin6_addr);
}

}  // namespace

SocketAddress choose_address() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) fail(ns_system_error, "bootstrap: cannot list the network interfaces");
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
  const std::string names = env_string("NCCL_SOCKET_IFNAME").value_or("");
  const std::string family = env_string("NCCL_SOCKET_FAMILY").value_or("");
  const ifaddrs* chosen = nullptr;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (!usable(*entry, names, family)) continue;
    const bool loopback = (entry->ifa_flags & IFF_LOOPBACK) != 0;
    if (!loopback) {
      chosen = entry;
      break;
    }
    if (chosen == nullptr) chosen = entry;
  }
  if (chosen == nullptr)
    fail(ns_system_error, "bootstrap: no interface is up that NCCL_SOCKET_IFNAME allows");
  SocketAddress address;
  address.length = chosen->ifa_addr->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  std::memcpy(&address.storage, chosen->ifa_addr, address.length);
  return address;
}

}  // namespace netsense::engine
