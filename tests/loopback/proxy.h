// A forwarder on loopback between a connector and a listener, which harms what it carries.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <thread>

#include "tests/loopback/detour.h"
#include "tests/loopback/scene.h"

namespace netsense::testing {

// What a connection's handshake takes of each way (docs/wire-format.md); frames begin behind it.
inline constexpr uint64_t kForwardHandshake = 72 + 40;
inline constexpr uint64_t kBackwardHandshake = 88 + 8;

enum class Way : uint8_t { kForward, kBackward };  // connector to listener, listener to connector

struct Harm {
  enum class Kind : uint8_t {
    kNone,
    kFlipBit,      // one bit of byte `at` of that way
    kClose,        // once `at` bytes of that way were carried, both sides see the other one close in order
    kReset,        // the same, and both sides see the other one reset the connection
    kRepeatFrame,  // the frame that begins at byte `at` comes twice
    kCutFrame,     // the end of that frame's payload does not come
  };
  Kind kind = Kind::kNone;
  Way way = Way::kForward;
  uint64_t at = 0;                   // counted for each connection from its first byte, the handshake's
  size_t connections = SIZE_MAX;     // only so many are harmed, the first to get there
  size_t piece = size_t{256} << 10;  // bytes are carried in pieces of at most this many
  // All connections but the first are carried only when the proxy is so old.
  std::chrono::milliseconds others_late{0};
};

class Proxy {
 public:
  // Changes the handle to lead here; from here it goes on to where the handle led before.
  Proxy(HandleBytes* handle, const Harm& harm);
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;
  ~Proxy();
  // How many connections were harmed so far.
  [[nodiscard]] size_t harmed() const { return harmed_; }
  // How many bytes have come from the connector so far, on all connections.
  [[nodiscard]] uint64_t carried() const { return carried_; }

 private:
  class Connection;
  void run();
  void accept_one();

  const HandleBytes target_;
  const Harm harm_;
  Detour detour_;
  std::list<std::unique_ptr<Connection>> connections_;
  std::atomic<size_t> harmed_{0};
  std::atomic<uint64_t> carried_{0};
  std::atomic<bool> stop_{false};
  const std::chrono::steady_clock::time_point made_ = std::chrono::steady_clock::now();
  std::thread thread_;
};

}  // namespace netsense::testing
