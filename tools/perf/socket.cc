#include "tools/perf/socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "tools/perf/error.h"

namespace netsense::perf {
namespace {

constexpr std::chrono::milliseconds kRetryPause{50};

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Addresses resolve(const Address& address, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* list = nullptr;
  const std::string port = std::to_string(address.port);
  const int error =
      getaddrinfo(address.host.empty() ? nullptr : address.host.c_str(), port.c_str(), &hints, &list);
  if (error != 0) throw Error("cannot resolve host '{}': {}", address.host, gai_strerror(error));
  return Addresses(list);
}

// False at the deadline.
bool wait_for(int fd, short events, Deadline deadline) {
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd entry{fd, events, 0};
    const int ready = poll(&entry, 1, static_cast<int>(std::clamp<int64_t>(left.count(), 0, 60000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) throw Error("poll failed: {}", std::strerror(errno));
    if (std::chrono::steady_clock::now() >= deadline) return false;
  }
}

void set_no_delay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Socket bind_one(const addrinfo& entry) {
  Socket listener(socket(entry.ai_family, entry.ai_socktype | SOCK_CLOEXEC, entry.ai_protocol));
  if (!listener.is_open()) return {};
  const int on = 1;
  setsockopt(listener.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener.fd(), entry.ai_addr, entry.ai_addrlen) != 0 || listen(listener.fd(), SOMAXCONN) != 0)
    return {};
  return listener;
}

// One attempt at every address; the reason of the last failure is in errno.
Socket connect_once(const addrinfo* list, Deadline deadline) {
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    Socket peer(
        socket(entry->ai_family, entry->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, entry->ai_protocol));
    if (!peer.is_open()) continue;
    if (connect(peer.fd(), entry->ai_addr, entry->ai_addrlen) != 0 && errno != EINPROGRESS) continue;
    if (!wait_for(peer.fd(), POLLOUT, deadline)) {
      errno = ETIMEDOUT;
      continue;
    }
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(peer.fd(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (error == 0) return peer;
    errno = error;
  }
  return {};
}

}  // namespace

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

void Socket::send_all(std::span<const std::byte> data, Deadline deadline) const {
  while (!data.empty()) {
    if (!wait_for(fd_, POLLOUT, deadline)) throw Error("it did not take data in time");
    const ssize_t sent = send(fd_, data.data(), data.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
      throw Error("sending failed: {}", std::strerror(errno));
    if (sent > 0) data = data.subspan(static_cast<size_t>(sent));
  }
}

void Socket::receive_all(std::span<std::byte> data, Deadline deadline) const {
  while (!data.empty()) {
    if (!wait_for(fd_, POLLIN, deadline)) throw Error("it did not answer in time");
    const ssize_t received = recv(fd_, data.data(), data.size(), MSG_DONTWAIT);
    if (received == 0) throw Error("it closed the connection");
    if (received < 0 && errno != EAGAIN && errno != EINTR)
      throw Error("receiving failed: {}", std::strerror(errno));
    if (received > 0) data = data.subspan(static_cast<size_t>(received));
  }
}

Socket listen_on(const Address& address) {
  const Addresses list = resolve(address, AI_PASSIVE);
  for (const addrinfo* entry = list.get(); entry != nullptr; entry = entry->ai_next) {
    Socket listener = bind_one(*entry);
    if (listener.is_open()) return listener;
  }
  if (errno == EADDRNOTAVAIL && !address.host.empty()) return listen_on({"", address.port});
  throw Error("cannot listen on {}: {}; choose another port with --rendezvous HOST:PORT or MASTER_PORT",
              format_address(address), std::strerror(errno));
}

uint16_t local_port(const Socket& listener) {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  getsockname(listener.fd(), reinterpret_cast<sockaddr*>(&name), &length);
  return ntohs(name.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(name).sin6_port
                                          : reinterpret_cast<const sockaddr_in&>(name).sin_port);
}

Socket accept_from(const Socket& listener, Deadline deadline) {
  while (wait_for(listener.fd(), POLLIN, deadline)) {
    Socket peer(accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    if (peer.is_open()) {
      set_no_delay(peer.fd());
      return peer;
    }
    if (errno != EINTR && errno != ECONNABORTED && errno != EAGAIN)
      throw Error("accept failed: {}", std::strerror(errno));
  }
  return {};
}

Socket connect_to(const Address& address, Deadline deadline) {
  const Addresses list = resolve(address, 0);
  while (true) {
    Socket peer = connect_once(list.get(), deadline);
    if (peer.is_open()) {
      set_no_delay(peer.fd());
      return peer;
    }
    const int reason = errno;
    if (std::chrono::steady_clock::now() + kRetryPause >= deadline) {
      throw Error("cannot reach {}: {}", format_address(address), std::strerror(reason));
    }
    std::this_thread::sleep_for(kRetryPause);
  }
}

}  // namespace netsense::perf
