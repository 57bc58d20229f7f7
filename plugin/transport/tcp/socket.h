// Making and tuning TCP sockets.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "plugin/core/fd.h"
#include "plugin/transport/tcp/address.h"

namespace netsense::tcp {

struct SocketOptions {
  std::string congestion;                     // empty: the system's
  std::chrono::milliseconds peer_timeout{0};  // for keepalive
};

// A non-blocking listening socket on address (port 0: any); *bound gets the real port. Invalid on failure,
// with errno set.
core::Fd open_listener(const Address& address, Address* bound);

// A non-blocking socket on its way to address. Invalid on failure, with errno set.
core::Fd start_connect(const Address& address, const SocketOptions& options);

// TCP_NODELAY, keepalive, congestion control. Returns 0 or the errno of the first option that was refused.
int apply_options(int fd, const SocketOptions& options);

// Whether this kernel, and this user, may use a congestion control of that name.
bool congestion_available(const std::string& name);

// How many bytes the kernel keeps that it has not put on the wire yet (TCP_NOTSENT_LOWAT, tcp(7)); beyond
// that a write would block.
void limit_unsent(int fd, size_t bytes);

// Bytes that the application wrote and the peer has not acknowledged; 0 when unknown (SIOCOUTQ, tcp(7)).
size_t unacknowledged_bytes(int fd);

// What the kernel knows of the peer's life.
struct Liveness {
  bool waiting = false;                    // retransmitting, or probing a closed window without an answer
  std::chrono::milliseconds since_ack{0};  // since anything was acknowledged
};
Liveness read_liveness(int fd);

// An errno value for people; where descriptors ran out, with what to do about it.
std::string explain(int error);

// The pending error of a socket (SO_ERROR), as an errno value.
int take_socket_error(int fd);

}  // namespace netsense::tcp
