// Messages between the ranks of one communicator, for setting up: handles, agreement, barriers. Not for data.
// Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "tools/engine/base/error.h"
#include "tools/engine/bootstrap/root.h"
#include "tools/engine/bootstrap/socket.h"

namespace netsense::engine {

class Bootstrap {
 public:
  // Returns when all ranks have joined. `abort`, when set, ends every wait.
  Bootstrap(const UniqueId& id, int rank, int ranks, const std::atomic<bool>& abort);

  void send(int peer, uint32_t tag, std::span<const std::byte> message);
  // Waits for the message; a peer that went away is ns_remote_error.
  std::vector<std::byte> receive(int peer, uint32_t tag);
  // Throws ns_remote_error when a peer that this rank has a connection with went away. Does not wait.
  void check_alive(int peer);

  // Every rank's value, by rank.
  template <typename T>
  std::vector<T> all_gather(uint32_t tag, const T& mine) {
    const std::vector<std::byte> all = gather_bytes(tag, bytes_of(mine));
    std::vector<T> out(static_cast<size_t>(ranks_));
    if (all.size() != out.size() * sizeof(T))
      fail(ns_internal_error, "bootstrap: a message has the wrong size");
    std::memcpy(out.data(), all.data(), all.size());
    return out;
  }

 private:
  struct Incoming {
    core::Fd fd;
    int peer = -1;
    bool closed = false;
    std::vector<std::byte> buffer;
  };
  using Key = std::pair<int, uint32_t>;  // peer, tag

  std::vector<std::byte> gather_bytes(uint32_t tag, std::span<const std::byte> mine);
  core::Fd& connection_to(int peer);
  bool gone(int peer);
  void pump(int timeout_ms);
  void drain(Incoming& incoming);
  bool take_message(Incoming& incoming);
  [[nodiscard]] WaitLimits limits() const;

  uint64_t secret_;
  int rank_;
  int ranks_;
  const std::atomic<bool>& abort_;
  core::Fd listener_;
  std::vector<SocketAddress> addresses_;
  std::map<int, core::Fd> outgoing_;
  std::vector<Incoming> incoming_;
  std::map<Key, std::vector<std::vector<std::byte>>> inbox_;
};

}  // namespace netsense::engine
