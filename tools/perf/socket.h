// A TCP connection for small control messages: owned, and never waiting beyond a deadline.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "tools/perf/membership.h"

namespace netsense::perf {

using Deadline = std::chrono::steady_clock::time_point;

class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

  // Both throw Error: at the deadline, when the peer closed, or with the system's reason.
  void send_all(std::span<const std::byte> data, Deadline deadline) const;
  void receive_all(std::span<std::byte> data, Deadline deadline) const;

 private:
  int fd_ = -1;
};

// Listens on the address, or on all interfaces when the host's address is not one of this machine's. Port 0
// picks a free one. Throws Error.
[[nodiscard]] Socket listen_on(const Address& address);
[[nodiscard]] uint16_t local_port(const Socket& listener);
// Not open when nobody called before the deadline.
[[nodiscard]] Socket accept_from(const Socket& listener, Deadline deadline);
// Tries again until the deadline, as the listener may start later. Throws Error.
[[nodiscard]] Socket connect_to(const Address& address, Deadline deadline);

}  // namespace netsense::perf
