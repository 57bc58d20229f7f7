#include "tests/reference/tcp/socket.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace netsense::reference {
namespace {

constexpr int kBacklog = 1024;

void disable_nagle(const Socket& socket) {
  const int on = 1;
  setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Outcome outcome_of_errno() {
  switch (errno) {
    case EAGAIN:
    case EINTR:
      return Outcome::kBlocked;
    case EPIPE:
    case ECONNRESET:
    case ETIMEDOUT:
      return Outcome::kClosed;
    default:
      return Outcome::kFailed;
  }
}

}  // namespace

socklen_t address_length(const SocketAddress& address) {
  return address.any.sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Socket::~Socket() {
  if (valid()) close(descriptor_);
}

Status open_listener(const SocketAddress& interface_address, Socket* listener, SocketAddress* address) {
  Socket socket(::socket(interface_address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return Status::kSystemError;
  SocketAddress bound = interface_address;
  socklen_t length = address_length(bound);
  if (bind(socket.descriptor(), &bound.any, length) != 0) return Status::kSystemError;
  if (listen(socket.descriptor(), kBacklog) != 0) return Status::kSystemError;
  if (getsockname(socket.descriptor(), &bound.any, &length) != 0) return Status::kSystemError;
  *address = bound;
  *listener = std::move(socket);
  return Status::kOk;
}

Status start_connection(const SocketAddress& peer, Socket* socket) {
  Socket started(::socket(peer.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!started.valid()) return Status::kSystemError;
  disable_nagle(started);
  if (connect(started.descriptor(), &peer.any, address_length(peer)) != 0 && errno != EINPROGRESS) {
    return Status::kSystemError;
  }
  *socket = std::move(started);
  return Status::kOk;
}

Outcome is_connected(const Socket& socket) {
  pollfd ready{.fd = socket.descriptor(), .events = POLLOUT, .revents = 0};
  if (poll(&ready, 1, 0) <= 0) return Outcome::kBlocked;
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error == 0) return Outcome::kMoved;
  errno = error;
  return Outcome::kFailed;
}

Status accept_connection(const Socket& listener, Socket* socket) {
  Socket accepted(accept4(listener.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (accepted.valid()) {
    disable_nagle(accepted);
    *socket = std::move(accepted);
    return Status::kOk;
  }
  const bool nobody = errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
  return nobody ? Status::kOk : Status::kSystemError;
}

Outcome send_some(const Socket& socket, std::span<iovec> pieces, size_t* sent) {
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = pieces.size();
  const ssize_t count = sendmsg(socket.descriptor(), &message, MSG_NOSIGNAL);
  if (count < 0) return outcome_of_errno();
  *sent = static_cast<size_t>(count);
  return Outcome::kMoved;
}

Outcome receive_some(const Socket& socket, std::span<iovec> pieces, size_t* received) {
  const ssize_t count = readv(socket.descriptor(), pieces.data(), static_cast<int>(pieces.size()));
  if (count < 0) return outcome_of_errno();
  if (count == 0) return Outcome::kClosed;
  *received = static_cast<size_t>(count);
  return Outcome::kMoved;
}

}  // namespace netsense::reference
