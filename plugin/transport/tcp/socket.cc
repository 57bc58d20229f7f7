#include "plugin/transport/tcp/socket.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace netsense::tcp {
namespace {

constexpr int kBacklog = 16384;
constexpr int kKeepaliveProbes = 3;
constexpr int kMaxKeepaliveSeconds = 32767;  // the kernel's limit (MAX_TCP_KEEPIDLE of Linux)

int set_int(int fd, int level, int name, int value) {
  return setsockopt(fd, level, name, &value, sizeof value) == 0 ? 0 : errno;
}

int set_congestion(int fd, const std::string& name) {
  const auto length = static_cast<socklen_t>(name.size());
  return setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.c_str(), length) == 0 ? 0 : errno;
}

core::Fd open_socket(const Address& address) {
  return core::Fd(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
}

}  // namespace

core::Fd open_listener(const Address& address, Address* bound) {
  core::Fd fd = open_socket(address);
  if (!fd.valid()) return fd;
  if (::bind(fd.get(), address.get(), address.length) != 0) return {};
  if (::listen(fd.get(), kBacklog) != 0) return {};
  *bound = address;
  bound->length = sizeof bound->storage;
  if (::getsockname(fd.get(), bound->get(), &bound->length) != 0) return {};
  return fd;
}

core::Fd start_connect(const Address& address, const SocketOptions& options) {
  core::Fd fd = open_socket(address);
  if (!fd.valid()) return fd;
  const int refused = apply_options(fd.get(), options);
  if (refused != 0) {
    errno = refused;
    return {};
  }
  if (::connect(fd.get(), address.get(), address.length) != 0 && errno != EINPROGRESS) return {};
  return fd;
}

int apply_options(int fd, const SocketOptions& options) {
  // Keepalive finds a peer that vanished while nothing is being sent to it; data on the way is watched by
  // SendComm. TCP_USER_TIMEOUT would do both, but it also ends a connection whose peer is alive and merely
  // does not read for that long (a rank that computes), so it is not used.
  const auto seconds =
      static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(options.peer_timeout).count());
  const int interval = std::clamp(seconds / (2 * kKeepaliveProbes), 1, kMaxKeepaliveSeconds);
  const int idle = std::clamp(seconds - interval * kKeepaliveProbes, 1, kMaxKeepaliveSeconds);
  for (const int error :
       {set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1), set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1),
        set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, idle), set_int(fd, IPPROTO_TCP, TCP_KEEPINTVL, interval),
        set_int(fd, IPPROTO_TCP, TCP_KEEPCNT, kKeepaliveProbes)}) {
    if (error != 0) return error;
  }
  return options.congestion.empty() ? 0 : set_congestion(fd, options.congestion);
}

bool congestion_available(const std::string& name) {
  const core::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP));
  return fd.valid() && set_congestion(fd.get(), name) == 0;
}

void limit_unsent(int fd, size_t bytes) {
  // Without it the stream only buffers more.
  (void)set_int(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, static_cast<int>(bytes));
}

size_t unacknowledged_bytes(int fd) {
  int bytes = 0;
  return ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? static_cast<size_t>(bytes) : 0;
}

Liveness read_liveness(int fd) {
  tcp_info info{};
  socklen_t length = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return {};
  return {.waiting = info.tcpi_retransmits > 0 || info.tcpi_probes > 0,
          .since_ack = std::chrono::milliseconds(info.tcpi_last_ack_recv)};
}

std::string explain(int error) {
  std::string text = std::strerror(error);
  if (error == EMFILE || error == ENFILE) {
    text += ". A connection takes one descriptor per stream (NETSENSE_TCP_STREAMS); the limit is `ulimit -n`";
  }
  return text;
}

int take_socket_error(int fd) {
  int error = 0;
  socklen_t length = sizeof error;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

}  // namespace netsense::tcp
