#include "tools/engine/bootstrap/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <thread>

#include "tools/engine/base/error.h"

namespace netsense::engine {
namespace {

void set_options(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

core::Fd open_socket(int family) {
  core::Fd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) fail(ns_system_error, "{}", with_errno("bootstrap: cannot make a socket", errno));
  return fd;
}

// Waits until fd is ready for `events`.
void wait_for(int fd, short events, const WaitLimits& limits) {
  for (;;) {
    pollfd entry{fd, events, 0};
    if (::poll(&entry, 1, poll_interval(limits)) > 0) return;
  }
}

// 0, or the errno with which the connection attempt ended.
int try_connect(int fd, const SocketAddress& address, const WaitLimits& limits) {
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address.storage), address.length) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  wait_for(fd, POLLOUT, limits);
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

}  // namespace

std::string SocketAddress::text() const {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&storage), length, host.data(), host.size(),
                  service.data(), service.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "unknown address";
  }
  return storage.ss_family == AF_INET6 ? fmt::format("[{}]:{}", host.data(), service.data())
                                       : fmt::format("{}:{}", host.data(), service.data());
}

uint16_t SocketAddress::port() const {
  return ntohs(storage.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(storage).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(storage).sin_port);
}

void SocketAddress::set_port(uint16_t port) {
  if (storage.ss_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6&>(storage).sin6_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in&>(storage).sin_port = htons(port);
  }
}

SocketAddress resolve_address(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) fail(ns_invalid_argument, "'{}' is not of the form host:port", text);
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), text.c_str() + colon + 1, &hints, &found);
  if (error != 0) fail(ns_invalid_argument, "cannot resolve '{}': {}", text, gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
  SocketAddress address;
  std::copy_n(reinterpret_cast<const std::byte*>(found->ai_addr), found->ai_addrlen,
              reinterpret_cast<std::byte*>(&address.storage));
  address.length = found->ai_addrlen;
  return address;
}

core::Fd listen_at(const SocketAddress& address) {
  core::Fd fd = open_socket(address.storage.ss_family);
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.length) != 0) {
    fail(ns_system_error, "{}", with_errno("bootstrap: cannot bind " + address.text(), errno));
  }
  if (::listen(fd.get(), SOMAXCONN) != 0) {
    fail(ns_system_error, "{}", with_errno("bootstrap: cannot listen at " + address.text(), errno));
  }
  return fd;
}

SocketAddress local_address(int fd) {
  SocketAddress address;
  address.length = sizeof address.storage;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.length) != 0) {
    fail(ns_system_error, "{}", with_errno("bootstrap: getsockname", errno));
  }
  return address;
}

core::Fd connect_to(const SocketAddress& address, const WaitLimits& limits) {
  for (;;) {
    core::Fd fd = open_socket(address.storage.ss_family);
    const int error = try_connect(fd.get(), address, limits);
    if (error == 0) {
      set_options(fd.get());
      return fd;
    }
    const bool may_come =
        error == ECONNREFUSED || error == ETIMEDOUT || error == ENETUNREACH || error == EHOSTUNREACH;
    if (!may_come || Clock::now() >= limits.deadline) {
      fail(ns_remote_error, "{}", with_errno("bootstrap: cannot connect to " + address.text(), error));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(poll_interval(limits) > 20 ? 20 : 1));
  }
}

core::Fd accept_from(int listener) {
  core::Fd fd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (fd.valid()) set_options(fd.get());
  return fd;
}

bool send_all(int fd, std::span<const std::byte> bytes, const WaitLimits& limits) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes = bytes.subspan(static_cast<size_t>(sent));
    } else if (sent < 0 && errno == EAGAIN) {
      wait_for(fd, POLLOUT, limits);
    } else if (!(sent < 0 && errno == EINTR)) {
      return false;
    }
  }
  return true;
}

bool receive_all(int fd, std::span<std::byte> bytes, const WaitLimits& limits) {
  while (!bytes.empty()) {
    const ssize_t got = ::recv(fd, bytes.data(), bytes.size(), 0);
    if (got > 0) {
      bytes = bytes.subspan(static_cast<size_t>(got));
    } else if (got < 0 && errno == EAGAIN) {
      wait_for(fd, POLLIN, limits);
    } else if (!(got < 0 && errno == EINTR)) {
      return false;
    }
  }
  return true;
}

int poll_interval(const WaitLimits& limits) {
  if (limits.abort != nullptr && limits.abort->load(std::memory_order_acquire)) {
    fail(ns_internal_error, "bootstrap: the communicator was aborted");
  }
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(limits.deadline - Clock::now()).count();
  if (left <= 0) fail(ns_remote_error, "bootstrap: timed out waiting for another rank");
  constexpr int64_t kAbortCheck = 50;
  return static_cast<int>(std::min<int64_t>(left + 1, kAbortCheck));
}

}  // namespace netsense::engine
