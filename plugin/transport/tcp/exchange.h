// Drives one side of the handshake over one socket.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "plugin/transport/tcp/handshake.h"

namespace netsense::tcp {

enum class ExchangeResult : uint8_t {
  kWaiting,  // call again when the socket is readable
  kDone,     // the handshake is over
  kFailed,   // the handshake's error() says why
  kClosed,   // the other side closed or reset the connection
};

class Exchange {
 public:
  // handshake must outlive this object.
  explicit Exchange(Handshake& handshake) : handshake_(handshake) {}
  // Sends and receives as far as the socket allows.
  ExchangeResult advance(int fd);
  // What has come of a message that is not complete, or was not understood.
  [[nodiscard]] std::span<const unsigned char> received() const { return std::span(in_).first(got_); }

 private:
  bool flush(int fd);

  Handshake& handshake_;
  std::array<unsigned char, handshake::kChallengeBytes> in_{};
  size_t got_ = 0;
};

}  // namespace netsense::tcp
