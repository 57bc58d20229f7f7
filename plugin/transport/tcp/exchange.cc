#include "plugin/transport/tcp/exchange.h"

#include <sys/socket.h>

#include <cerrno>
#include <span>

namespace netsense::tcp {

static_assert(handshake::kChallengeBytes >= handshake::kHelloBytes);

bool Exchange::flush(int fd) {
  const std::vector<unsigned char> out = handshake_.take_output();
  if (out.empty()) return true;
  // A few dozen bytes into an empty socket buffer: anything but all of them is a dead connection.
  return ::send(fd, out.data(), out.size(), MSG_DONTWAIT | MSG_NOSIGNAL) == static_cast<ssize_t>(out.size());
}

ExchangeResult Exchange::advance(int fd) {
  for (;;) {
    const bool sent = flush(fd);
    if (handshake_.error() != HandshakeError::kNone) return ExchangeResult::kFailed;
    if (!sent) return ExchangeResult::kClosed;
    if (handshake_.done()) return ExchangeResult::kDone;
    // Exactly what the next message has: bytes behind it are frames and belong to the comm.
    const size_t wanted = handshake_.wanted();
    const ssize_t got = ::recv(fd, in_.data() + got_, wanted - got_, MSG_DONTWAIT);
    if (got < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN ? ExchangeResult::kWaiting : ExchangeResult::kClosed;
    }
    if (got == 0) return ExchangeResult::kClosed;
    got_ += static_cast<size_t>(got);
    if (got_ < wanted) continue;
    handshake_.feed(std::span(in_).first(wanted));
    if (handshake_.error() == HandshakeError::kNone) got_ = 0;
  }
}

}  // namespace netsense::tcp
