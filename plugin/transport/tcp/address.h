// Socket addresses as the handle carries them and as the log shows them.
#pragma once

#include <sys/socket.h>

#include <string>

namespace netsense::tcp {

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;

  [[nodiscard]] int family() const { return storage.ss_family; }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  [[nodiscard]] bool is_link_local() const;
  void set_port(uint16_t port);
  void set_scope(unsigned int interface_index);
};

// "10.0.0.1:4711" or "[fe80::1%eth0]:4711".
std::string to_string(const Address& address);

// Whether this host has that address itself. Sends nothing.
bool is_on_this_host(const Address& address);

// The address at the other end of a connected socket, as text; "an unknown peer" when it is gone.
std::string peer_name(int fd);

}  // namespace netsense::tcp
