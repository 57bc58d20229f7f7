// Questions about socket addresses that the choice of interfaces asks.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <optional>
#include <string>

namespace netsense::transport {

inline sockaddr_in as_ipv4(const sockaddr_storage& address) {
  sockaddr_in result;
  std::memcpy(&result, &address, sizeof result);
  return result;
}
inline sockaddr_in6 as_ipv6(const sockaddr_storage& address) {
  sockaddr_in6 result;
  std::memcpy(&result, &address, sizeof result);
  return result;
}

inline bool is_ip(const sockaddr_storage& address) {
  return address.ss_family == AF_INET || address.ss_family == AF_INET6;
}
bool is_ipv6_link_local(const sockaddr_storage& address);
bool is_ipv6_loopback(const sockaddr_storage& address);

// Length of what a socket call expects; 0 for other families.
socklen_t length_of(const sockaddr_storage& address);

// Whether both are in the network that the mask of `local` spans. A link-local network exists once per
// interface, so there the scopes must agree.
bool same_subnet(const sockaddr_storage& local, const sockaddr_storage& netmask,
                 const sockaddr_storage& remote);

// "10.0.0.1:4711", "[fe80::1%eth0]:4711" or "name:4711" as in NCCL_COMM_ID, without the port. A name is
// looked up.
std::optional<sockaddr_storage> parse_comm_id(const std::string& text);

}  // namespace netsense::transport
