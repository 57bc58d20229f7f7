#include "plugin/transport/netif_address.h"

#include <netdb.h>

#include <memory>

namespace netsense::transport {

bool is_ipv6_link_local(const sockaddr_storage& address) {
  if (address.ss_family != AF_INET6) return false;
  const sockaddr_in6 ip = as_ipv6(address);
  return IN6_IS_ADDR_LINKLOCAL(&ip.sin6_addr);
}

bool is_ipv6_loopback(const sockaddr_storage& address) {
  if (address.ss_family != AF_INET6) return false;
  const sockaddr_in6 ip = as_ipv6(address);
  return IN6_IS_ADDR_LOOPBACK(&ip.sin6_addr);
}

socklen_t length_of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) return sizeof(sockaddr_in);
  return address.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : 0;
}

bool same_subnet(const sockaddr_storage& local, const sockaddr_storage& netmask,
                 const sockaddr_storage& remote) {
  if (local.ss_family != remote.ss_family || netmask.ss_family != local.ss_family) return false;
  if (local.ss_family == AF_INET) {
    const in_addr_t mask = as_ipv4(netmask).sin_addr.s_addr;
    return ((as_ipv4(local).sin_addr.s_addr ^ as_ipv4(remote).sin_addr.s_addr) & mask) == 0;
  }
  if (local.ss_family != AF_INET6) return false;
  const sockaddr_in6 own = as_ipv6(local);
  const sockaddr_in6 other = as_ipv6(remote);
  const sockaddr_in6 mask = as_ipv6(netmask);
  for (size_t i = 0; i < sizeof own.sin6_addr.s6_addr; ++i) {
    const unsigned int difference =
        static_cast<unsigned int>(own.sin6_addr.s6_addr[i]) ^ other.sin6_addr.s6_addr[i];
    if ((difference & mask.sin6_addr.s6_addr[i]) != 0) return false;
  }
  return !is_ipv6_link_local(local) || own.sin6_scope_id == other.sin6_scope_id;
}

std::optional<sockaddr_storage> parse_comm_id(const std::string& text) {
  std::string host = text.substr(0, text.rfind(':'));
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string::npos) return std::nullopt;
    host = text.substr(1, end - 1);
  }
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (host.empty() || getaddrinfo(host.c_str(), nullptr, &hints, &list) != 0) return std::nullopt;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, freeaddrinfo);
  sockaddr_storage address{};
  if (list->ai_addrlen > sizeof address) return std::nullopt;
  std::memcpy(&address, list->ai_addr, list->ai_addrlen);
  return address;
}

}  // namespace netsense::transport
