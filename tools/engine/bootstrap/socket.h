// Small TCP helpers for the bootstrap: every wait ends at a deadline or when the communicator is aborted.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>

#include "plugin/core/fd.h"

namespace netsense::engine {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  [[nodiscard]] std::string text() const;  // "10.0.0.1:4711", "[::1]:4711"
  [[nodiscard]] uint16_t port() const;
  void set_port(uint16_t port);
};

using Clock = std::chrono::steady_clock;

// What ends a wait early. `abort` may be null.
struct WaitLimits {
  Clock::time_point deadline;
  const std::atomic<bool>* abort = nullptr;
};

// "host:port", "[::1]:port"; throws ns_invalid_argument.
SocketAddress resolve_address(const std::string& text);
// Where other hosts can reach this one: the first interface that is up and that NCCL_SOCKET_IFNAME and
// NCCL_SOCKET_FAMILY allow, loopback only when there is no other. The port is 0.
SocketAddress choose_address();

core::Fd listen_at(const SocketAddress& address);
SocketAddress local_address(int fd);
// Tries again while the other side is not listening yet.
core::Fd connect_to(const SocketAddress& address, const WaitLimits& limits);
core::Fd accept_from(int listener);

// False at end of stream or a broken connection; throws when limits end the wait.
bool send_all(int fd, std::span<const std::byte> bytes, const WaitLimits& limits);
bool receive_all(int fd, std::span<std::byte> bytes, const WaitLimits& limits);

// Throws when the limits are reached; otherwise how long poll() may wait, in milliseconds.
int poll_interval(const WaitLimits& limits);

template <typename T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}
template <typename T>
std::span<std::byte> writable_bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

}  // namespace netsense::engine
