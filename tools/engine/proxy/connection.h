// One direction of one channel to one peer: the plugin's comm, the registered buffers, and the fifo that the
// device works on.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/engine/device/device.h"
#include "tools/engine/fifo.h"
#include "tools/engine/loader/net.h"
#include "tools/engine/proxy/memory.h"

namespace netsense::engine {

struct ProxyArgs;

struct Connection {
  ConnectionId id;
  int net_device = 0;
  bool shared = false;      // send/recv: data goes through the pool of the communicator
  bool gpu_direct = false;  // the plugin is told that the buffers are GPU memory
  bool need_flush = false;
  int max_recvs = 1;
  bool connected = false;

  void* listener = nullptr;
  void* comm = nullptr;  // of sending or receiving
  std::vector<Memory> memory;
  std::array<std::byte*, kProtocols> buffers{};
  std::array<size_t, kProtocols> buffer_bytes{};
  std::array<void*, kProtocols> registrations{};
  ConnectionFifo fifo;

  uint64_t step = 0;               // the progress thread's running step, kept between operations
  ProxyArgs* last_args = nullptr;  // newest operation on this connection that is not finished
  ProxyArgs** append_to =
      nullptr;  // where the newest one is kept: last_args, or one per channel for send/recv
};

// All connections of a communicator. Entries appear while others are in use and never move.
class ConnectionTable {
 public:
  ConnectionTable(int channels, int ranks)
      : ranks_(ranks), table_(static_cast<size_t>(channels) * static_cast<size_t>(ranks + 1) * 4) {}

  // Null when there is none yet.
  [[nodiscard]] Connection* find(const ConnectionId& id) const { return table_[place(id)].get(); }
  Connection& add(const ConnectionId& id) {
    std::unique_ptr<Connection>& entry = table_[place(id)];
    entry = std::make_unique<Connection>();
    entry->id = id;
    return *entry;
  }
  template <typename Visitor>
  void for_each(Visitor visitor) const {
    for (const auto& connection : table_) {
      if (connection) visitor(*connection);
    }
  }

 private:
  [[nodiscard]] size_t place(const ConnectionId& id) const {
    const auto row =
        static_cast<size_t>(id.channel) * static_cast<size_t>(ranks_ + 1) + static_cast<size_t>(id.peer);
    return row * 4 + (id.send ? 2 : 0) + static_cast<size_t>(id.index);
  }

  int ranks_;
  std::vector<std::unique_ptr<Connection>> table_;
};

}  // namespace netsense::engine
