// The two ends of a connection: one non-blocking socket, driven by whoever calls isend, irecv or test.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "plugin/core/status.h"
#include "tests/reference/tcp/fifo.h"
#include "tests/reference/tcp/request.h"
#include "tests/reference/tcp/socket.h"

namespace netsense::reference {

// Precedes each message on the wire. Both ends are the same machine type, so no byte order is fixed.
struct MessageHeader {
  uint64_t bytes = 0;
  int64_t tag = 0;
};

// What a closed connection means to requests that wait on it.
enum class OnPeerClose {
  kError,   // they fail with Status::kRemoteError
  kSilent,  // they stay unfinished, as with a network that notices nothing
};

class Connection {
 public:
  Connection(Socket socket, OnPeerClose on_peer_close)
      : socket_(std::move(socket)), on_peer_close_(on_peer_close) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  // Moves bytes if the request is unfinished. A finished request is given back to the ring.
  Status test(Request* request, bool* done);

 protected:
  // Moves what can be moved now.
  virtual Status progress() = 0;
  // What the outcome of a system call means for the connection. Sets *moved.
  Status judge(Outcome outcome, bool* moved);

  Socket socket_;
  RequestRing requests_;

 private:
  OnPeerClose on_peer_close_;
  Status status_ = Status::kOk;  // an error stays
};

class SendConnection final : public Connection {
 public:
  using Connection::Connection;
  // *request is null when all requests are in use.
  Status isend(const void* data, size_t bytes, int tag, Request** request);

 private:
  Status progress() override;
  void account(size_t sent);

  Fifo<Request, kMaxRequests> queue_;
  std::array<MessageHeader, kMaxRequests> headers_;  // of the queued messages, by position in the queue
  size_t first_header_ = 0;
  size_t sent_of_first_ = 0;  // bytes of the first message, header included, that are out
};

class RecvConnection final : public Connection {
 public:
  using Connection::Connection;
  // Room for one message in each buffer; messages find theirs by tag.
  Status irecv(std::span<void* const> data, std::span<const size_t> room, std::span<const int> tags,
               Request** request);
  // Done at once: the data is in host memory.
  Status iflush(Request** request);

 private:
  Status progress() override;
  // Takes messages out of staging_ until it needs more bytes. Sets *waiting when no receive is posted for the
  // next.
  Status consume(bool* waiting);
  Status begin_message(const MessageHeader& header, bool* waiting);
  Part* find_part(int64_t tag, Request** owner) const;
  void finish_part();

  // Small messages cost one system call: whatever follows in the stream is read along into staging_.
  static constexpr size_t kStagingBytes = 8192;
  std::array<std::byte, kStagingBytes> staging_;
  size_t staged_begin_ = 0;
  size_t staged_end_ = 0;

  Fifo<Request, kMaxRequests> queue_;
  Request* current_owner_ = nullptr;  // whose part the current message fills; null between messages
  Part* current_ = nullptr;
  size_t current_left_ = 0;  // bytes of the current message yet to come
};

}  // namespace netsense::reference
