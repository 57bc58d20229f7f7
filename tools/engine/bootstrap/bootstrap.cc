#include "tools/engine/bootstrap/bootstrap.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace netsense::engine {
namespace {

struct PeerHello {
  uint64_t secret = 0;
  int32_t rank = 0;
  int32_t reserved = 0;
};

struct MessageHeader {
  uint32_t tag = 0;
  uint32_t bytes = 0;
};

constexpr uint32_t kMaxMessage = 16U << 20;

std::vector<SocketAddress> join(const UniqueId& id, int rank, int ranks, const SocketAddress& listening,
                                int fd, const WaitLimits& limits) {
  const RootHello hello{id.secret, rank, ranks, listening};
  RootReply reply;
  std::vector<SocketAddress> table(static_cast<size_t>(ranks));
  if (!send_all(fd, bytes_of(hello), limits) || !receive_all(fd, writable_bytes_of(reply), limits)) {
    fail(ns_remote_error, "bootstrap: the root at {} closed the connection", id.address.text());
  }
  if (reply.error_bytes != 0) {
    std::string reason(std::min<uint32_t>(reply.error_bytes, 1024), '\0');
    receive_all(fd, std::as_writable_bytes(std::span(reason)), limits);
    fail(ns_remote_error, "bootstrap: {}", reason);
  }
  if (!receive_all(fd, std::as_writable_bytes(std::span(table)), limits)) {
    fail(ns_remote_error, "bootstrap: the root at {} closed the connection", id.address.text());
  }
  return table;
}

}  // namespace

Bootstrap::Bootstrap(const UniqueId& id, int rank, int ranks, const std::atomic<bool>& abort)
    : secret_(id.secret), rank_(rank), ranks_(ranks), abort_(abort) {
  const core::Fd root = connect_to(id.address, limits());
  // The address that reaches the root is one that the other ranks can reach too.
  SocketAddress here = local_address(root.get());
  here.set_port(0);
  listener_ = listen_at(here);
  addresses_ = join(id, rank, ranks, local_address(listener_.get()), root.get(), limits());
}

WaitLimits Bootstrap::limits() const {
  return {Clock::now() + setup_timeout(), &abort_};
}

core::Fd& Bootstrap::connection_to(int peer) {
  core::Fd& fd = outgoing_[peer];
  if (fd.valid()) return fd;
  try {
    // The peer listens since before this rank knew its address, so that waiting longer would not help.
    fd = connect_to(addresses_.at(static_cast<size_t>(peer)),
                    {Clock::now() + std::chrono::milliseconds(500), &abort_});
    send_all(fd.get(), bytes_of(PeerHello{secret_, rank_, 0}), limits());
  } catch (const EngineError& error) {
    if (abort_.load(std::memory_order_acquire)) throw;
    fail(ns_remote_error, "rank {} has gone away ({})", peer, error.what());
  }
  return fd;
}

void Bootstrap::send(int peer, uint32_t tag, std::span<const std::byte> message) {
  if (peer == rank_) {
    inbox_[{peer, tag}].emplace_back(message.begin(), message.end());
    return;
  }
  const int fd = connection_to(peer).get();
  const MessageHeader header{tag, static_cast<uint32_t>(message.size())};
  if (!send_all(fd, bytes_of(header), limits()) || !send_all(fd, message, limits())) {
    fail(ns_remote_error, "bootstrap: rank {} has gone away", peer);
  }
}

std::vector<std::byte> Bootstrap::receive(int peer, uint32_t tag) {
  const WaitLimits wait = limits();
  int chances = 3;  // a message may still sit in the backlog of the listener when its sender has closed
  for (;;) {
    const auto found = inbox_.find({peer, tag});
    if (found != inbox_.end()) {
      std::vector<std::byte> message = std::move(found->second.front());
      found->second.erase(found->second.begin());
      if (found->second.empty()) inbox_.erase(found);
      return message;
    }
    if (peer != rank_) {
      try {
        connection_to(peer);
      } catch (const EngineError&) {
        if (abort_.load(std::memory_order_acquire) || --chances == 0) throw;
      }
      if (gone(peer) && --chances == 0) fail(ns_remote_error, "bootstrap: rank {} has gone away", peer);
    }
    pump(poll_interval(wait));
  }
}

void Bootstrap::check_alive(int peer) {
  pump(0);
  if (peer != rank_ && outgoing_.contains(peer) && gone(peer)) {
    fail(ns_remote_error, "rank {} has gone away", peer);
  }
}

// Nothing is ever sent back on an outgoing connection, so that readable means closed.
bool Bootstrap::gone(int peer) {
  const auto found = outgoing_.find(peer);
  if (found == outgoing_.end() || !found->second.valid()) return false;
  pollfd entry{found->second.get(), POLLIN, 0};
  return ::poll(&entry, 1, 0) > 0 && entry.revents != 0;
}

void Bootstrap::pump(int timeout_ms) {
  std::vector<pollfd> entries{{listener_.get(), POLLIN, 0}};
  for (const Incoming& incoming : incoming_) entries.push_back({incoming.fd.get(), POLLIN, 0});
  if (::poll(entries.data(), entries.size(), timeout_ms) <= 0) return;
  for (size_t i = 0; i < incoming_.size(); ++i) {
    if (entries[i + 1].revents != 0) drain(incoming_[i]);
  }
  std::erase_if(incoming_, [](const Incoming& incoming) { return incoming.closed; });
  if (entries[0].revents != 0) {
    core::Fd fd = accept_from(listener_.get());
    if (fd.valid()) incoming_.push_back({std::move(fd), -1, false, {}});
  }
}

void Bootstrap::drain(Incoming& incoming) {
  std::array<std::byte, 4096> chunk;
  for (;;) {
    const ssize_t got = ::recv(incoming.fd.get(), chunk.data(), chunk.size(), 0);
    if (got > 0) {
      incoming.buffer.insert(incoming.buffer.end(), chunk.begin(), chunk.begin() + got);
    } else {
      incoming.closed = !(got < 0 && (errno == EAGAIN || errno == EINTR));
      break;
    }
  }
  while (take_message(incoming)) {
  }
}

bool Bootstrap::take_message(Incoming& incoming) {
  std::vector<std::byte>& buffer = incoming.buffer;
  if (incoming.peer < 0) {
    PeerHello hello;
    if (buffer.size() < sizeof hello) return false;
    std::memcpy(&hello, buffer.data(), sizeof hello);
    if (hello.secret != secret_ || hello.rank < 0 || hello.rank >= ranks_) {
      incoming.closed = true;
      return false;
    }
    incoming.peer = hello.rank;
    buffer.erase(buffer.begin(), buffer.begin() + sizeof hello);
  }
  MessageHeader header;
  if (buffer.size() < sizeof header) return false;
  std::memcpy(&header, buffer.data(), sizeof header);
  if (header.bytes > kMaxMessage) {
    incoming.closed = true;
    return false;
  }
  if (buffer.size() < sizeof header + header.bytes) return false;
  const auto begin = buffer.begin() + sizeof header;
  inbox_[{incoming.peer, header.tag}].emplace_back(begin, begin + header.bytes);
  buffer.erase(buffer.begin(), begin + header.bytes);
  return true;
}

std::vector<std::byte> Bootstrap::gather_bytes(uint32_t tag, std::span<const std::byte> mine) {
  if (rank_ != 0) {
    send(0, tag, mine);
    return receive(0, tag);
  }
  std::vector<std::byte> all(mine.begin(), mine.end());
  for (int peer = 1; peer < ranks_; ++peer) {
    const std::vector<std::byte> theirs = receive(peer, tag);
    all.insert(all.end(), theirs.begin(), theirs.end());
  }
  for (int peer = 1; peer < ranks_; ++peer) send(peer, tag, all);
  return all;
}

}  // namespace netsense::engine
