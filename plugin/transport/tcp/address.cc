#include "plugin/transport/tcp/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <net/if.h>
#include <netinet/in.h>

#include <array>

#include "plugin/core/fd.h"

namespace netsense::tcp {

bool Address::is_link_local() const {
  if (family() != AF_INET6) return false;
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&storage);
  return IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr);
}

void Address::set_port(uint16_t port) {
  if (family() == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(&storage)->sin6_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in*>(&storage)->sin_port = htons(port);
  }
}

void Address::set_scope(unsigned int interface_index) {
  if (family() == AF_INET6) reinterpret_cast<sockaddr_in6*>(&storage)->sin6_scope_id = interface_index;
}

std::string to_string(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.family() == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address.storage);
    inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
    return fmt::format("{}:{}", text.data(), ntohs(v4->sin_port));
  }
  if (address.family() == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address.storage);
    inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
    std::array<char, IF_NAMESIZE> scope{};
    const bool named = v6->sin6_scope_id != 0 && if_indextoname(v6->sin6_scope_id, scope.data()) != nullptr;
    return fmt::format("[{}{}{}]:{}", text.data(), named ? "%" : "", scope.data(), ntohs(v6->sin6_port));
  }
  return fmt::format("an address of family {}", address.family());
}

bool is_on_this_host(const Address& address) {
  // A datagram socket that is connected only looks for a route. That to an own address leaves from it, unless
  // the address is a second one of its subnet; no interface offers such a one while it has a first.
  const core::Fd fd(::socket(address.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  Address own;
  own.length = sizeof own.storage;
  if (!fd.valid() || ::connect(fd.get(), address.get(), address.length) != 0 ||
      ::getsockname(fd.get(), own.get(), &own.length) != 0) {
    return false;
  }
  if (address.family() == AF_INET) {
    return reinterpret_cast<const sockaddr_in*>(&own.storage)->sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_addr.s_addr;
  }
  return IN6_ARE_ADDR_EQUAL(&reinterpret_cast<const sockaddr_in6*>(&own.storage)->sin6_addr,
                            &reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr);
}

std::string peer_name(int fd) {
  Address address;
  address.length = sizeof address.storage;
  if (getpeername(fd, address.get(), &address.length) != 0) return "an unknown peer";
  return to_string(address);
}

}  // namespace netsense::tcp
