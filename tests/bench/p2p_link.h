// Two processes joined by a plugin in both directions, as two ranks of NCCL are, and by a control connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

#include "tests/abi/net_api.h"
#include "tools/perf/socket.h"

namespace netsense::bench {

enum class Role : uint8_t { kServer, kClient };

// The control connection: small messages in step, never while something is being timed.
class Control {
 public:
  Control(Role role, const perf::Address& address);
  template <typename T>
  void send(const T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    socket_.send_all(std::as_bytes(std::span(&value, 1)), deadline());
  }
  template <typename T>
  [[nodiscard]] T receive() const {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    socket_.receive_all(std::as_writable_bytes(std::span(&value, 1)), deadline());
    return value;
  }
  // Sends ours and gives back the peer's.
  template <typename T>
  [[nodiscard]] T exchange(const T& mine) const {
    send(mine);
    return receive<T>();
  }

 private:
  static perf::Deadline deadline();
  perf::Socket socket_;
};

// A connection in each direction.
class Link {
 public:
  Link(testing::Plugin& plugin, const Control& control);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link();

  [[nodiscard]] engine::Net& net() const { return net_; }
  [[nodiscard]] void* send_comm() const { return send_comm_; }
  [[nodiscard]] void* recv_comm() const { return recv_comm_; }

  // Null when the plugin can take no more for now.
  void* isend(void* data, size_t bytes, void* region);
  void* irecv(void* data, size_t bytes, void* region);
  // Whether the request has finished.
  bool test(void* request);

 private:
  engine::Net& net_;
  void* send_comm_ = nullptr;
  void* recv_comm_ = nullptr;
};

// Calls step until it is true. Gives up the core after a call that changed nothing, as NCCL's proxy thread
// does.
template <typename Step>
void poll(Step step) {
  while (!step()) std::this_thread::yield();
}

}  // namespace netsense::bench
