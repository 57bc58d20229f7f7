#include "tools/probe/load.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "tools/perf/error.h"
#include "tools/probe/wire.h"

namespace netsense::mesh {
namespace {

// Large enough for few system calls, small enough that a ping does not wait long behind one.
constexpr size_t kSendPiece = size_t{128} << 10;
constexpr size_t kReceivePiece = size_t{256} << 10;
// More than that waiting in the host would only delay the end of a step.
constexpr int kMostUnsent = 256 << 10;

bool try_again() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

LoadSender::LoadSender(perf::Socket socket, probe::Time record_from)
    : socket_(std::move(socket)),
      record_from_(record_from),
      sampler_(socket_.fd()),
      accepted_(kFrameBytes),  // the greeting
      piece_(kSendPiece) {
  setsockopt(socket_.fd(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kMostUnsent, sizeof kMostUnsent);
}

LoadSender::~LoadSender() {
  const linger now{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket_.fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

void LoadSender::send_some() {
  const ssize_t sent = send(socket_.fd(), piece_.data(), piece_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0) accepted_ += static_cast<uint64_t>(sent);
  if (sent < 0 && !try_again()) throw perf::Error("the connection for load broke: {}", std::strerror(errno));
}

void LoadSender::look(probe::Time now) {
  if (now < next_look_) return;
  next_look_ = now + kLookInterval;
  const std::optional<probe::Sample> sample = sampler_.sample(now, accepted_);
  if (!sample) return;
  estimator_.update(*sample);
  if (now >= record_from_) queues_.push_back(probe::to_seconds(estimator_.estimate(now).network_queue));
}

LoadReceiver::LoadReceiver(perf::Socket socket, probe::Duration skip)
    : socket_(std::move(socket)), goodput_(skip), piece_(kReceivePiece) {}

void LoadReceiver::receive_some(probe::Time now) {
  const ssize_t received = recv(socket_.fd(), piece_.data(), piece_.size(), MSG_DONTWAIT);
  if (received == 0) throw perf::Error("the connection for load was closed");
  if (received < 0 && !try_again())
    throw perf::Error("the connection for load broke: {}", std::strerror(errno));
  if (received > 0) goodput_.add(now, static_cast<uint64_t>(received));
}

}  // namespace netsense::mesh
