#include "tests/loopback/detour.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace netsense::testing {

Detour::Detour(HandleBytes* handle) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(fd_, generic, length) != 0 || ::listen(fd_, 64) != 0 ||
      ::getsockname(fd_, generic, &length) != 0) {
    ::close(fd_);
    throw std::runtime_error("cannot listen on loopback");
  }
  // The socket address stands first in a handle (docs/wire-format.md).
  std::memcpy(handle->data(), &address, sizeof address);
  port_ = ntohs(address.sin_port);
}

Detour::~Detour() {
  ::close(fd_);
}

}  // namespace netsense::testing
