// How a connection comes about: a listener describes itself in NCCL's handle, the other side connects and
// names itself, and nothing blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "plugin/core/status.h"
#include "tests/reference/tcp/connection.h"
#include "tests/reference/tcp/socket.h"

namespace netsense::reference {

// The first bytes on a connection.
struct Hello {
  uint64_t secret = 0;  // as in the handle: strangers are dropped
  int64_t sender = 0;   // who connects, for listeners that take several connections
};

// Fits into NCCL_NET_HANDLE_MAXSIZE (128) bytes and is copied as bytes.
struct Handle {
  uint64_t secret;
  SocketAddress address;
  Socket* connecting;  // the connecting side's socket between its calls; null before the first
  int refused;         // how often the connecting side was told "not yet" on purpose
};

class Listener {
 public:
  // Writes the handle. Null when the system refuses.
  static std::unique_ptr<Listener> open(const SocketAddress& interface_address, Handle* handle);

  // *socket stays invalid until somebody with the right secret has connected; sender: its Hello::sender.
  Status accept(Socket* socket, int64_t* sender);

 private:
  Listener(Socket socket, uint64_t secret) : socket_(std::move(socket)), secret_(secret) {}

  Socket socket_;
  uint64_t secret_;
  Socket pending_;  // accepted, Hello not complete
  std::array<std::byte, sizeof(Hello)> hello_{};
  size_t hello_bytes_ = 0;
};

// Called with the same handle until *socket is valid.
Status connect_to(Handle* handle, int64_t sender, Socket* socket);

}  // namespace netsense::reference
