// A file descriptor that closes itself, and the few non-blocking socket calls the plain plugin needs.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#include <span>

#include "plugin/core/status.h"

struct iovec;

namespace netsense::reference {

// Room for an IPv4 or IPv6 address; small enough for NCCL's 128-byte handle, which sockaddr_storage is not.
union SocketAddress {
  sockaddr any;
  sockaddr_in ipv4;
  sockaddr_in6 ipv6;
};

[[nodiscard]] socklen_t address_length(const SocketAddress& address);

class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();

  [[nodiscard]] bool valid() const { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// What became of one attempt to move bytes.
enum class Outcome {
  kMoved,    // some bytes, see the count
  kBlocked,  // none for now
  kClosed,   // the peer closed or reset the connection
  kFailed,   // the system refused, see errno
};

// Listens on the interface's address, any free port; *address then tells which.
Status open_listener(const SocketAddress& interface_address, Socket* listener, SocketAddress* address);

// Starts a connection; completion is told by is_connected.
Status start_connection(const SocketAddress& peer, Socket* socket);

// kBlocked until the connection stands, then kMoved.
Outcome is_connected(const Socket& socket);

// An invalid socket when nobody waits.
Status accept_connection(const Socket& listener, Socket* socket);

Outcome send_some(const Socket& socket, std::span<iovec> pieces, size_t* sent);
Outcome receive_some(const Socket& socket, std::span<iovec> pieces, size_t* received);

}  // namespace netsense::reference
