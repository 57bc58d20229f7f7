#include "tests/reference/tcp/endpoint.h"

#include <sys/uio.h>

#include <cstring>
#include <random>
#include <utility>

namespace netsense::reference {

static_assert(sizeof(Handle) <= 128);

std::unique_ptr<Listener> Listener::open(const SocketAddress& interface_address, Handle* handle) {
  std::random_device random;
  const uint64_t secret = (uint64_t{random()} << 32) | random();
  *handle = Handle{.secret = secret, .address = {}, .connecting = nullptr, .refused = 0};
  Socket socket;
  if (open_listener(interface_address, &socket, &handle->address) != Status::kOk) return nullptr;
  return std::unique_ptr<Listener>(new Listener(std::move(socket), secret));
}

Status Listener::accept(Socket* socket, int64_t* sender) {
  if (!pending_.valid()) {
    const Status status = accept_connection(socket_, &pending_);
    if (status != Status::kOk || !pending_.valid()) return status;
    hello_bytes_ = 0;
  }
  iovec rest{hello_.data() + hello_bytes_, hello_.size() - hello_bytes_};
  size_t received = 0;
  switch (receive_some(pending_, {&rest, 1}, &received)) {
    case Outcome::kBlocked:
      return Status::kOk;
    case Outcome::kClosed:
    case Outcome::kFailed:
      pending_ = Socket();
      return Status::kOk;
    case Outcome::kMoved:
      break;
  }
  hello_bytes_ += received;
  if (hello_bytes_ < hello_.size()) return Status::kOk;
  Hello hello;
  std::memcpy(&hello, hello_.data(), sizeof hello);
  if (hello.secret == secret_) {
    *sender = hello.sender;
    *socket = std::exchange(pending_, Socket());
  }
  pending_ = Socket();
  return Status::kOk;
}

Status connect_to(Handle* handle, int64_t sender, Socket* socket) {
  if (handle->connecting == nullptr) {
    auto started = std::make_unique<Socket>();
    const Status status = start_connection(handle->address, started.get());
    if (status != Status::kOk) return status;
    handle->connecting = started.release();
  }
  const Outcome outcome = is_connected(*handle->connecting);
  if (outcome == Outcome::kBlocked) return Status::kOk;
  const std::unique_ptr<Socket> connected(std::exchange(handle->connecting, nullptr));
  if (outcome != Outcome::kMoved) return Status::kRemoteError;
  Hello hello{.secret = handle->secret, .sender = sender};
  iovec piece{&hello, sizeof hello};
  size_t sent = 0;
  // A fresh connection has room for these few bytes in one piece.
  if (send_some(*connected, {&piece, 1}, &sent) != Outcome::kMoved || sent != sizeof hello) {
    return Status::kRemoteError;
  }
  *socket = std::move(*connected);
  return Status::kOk;
}

}  // namespace netsense::reference
