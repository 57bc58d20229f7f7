// One process that plays both ranks over loopback, through the newest exported table, with a logger that
// remembers.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plugin/abi/net_v12.h"
#include "tests/abi/net_api.h"

namespace netsense::testing {

using abi::Result;
using HandleBytes = std::array<std::byte, abi::kNetHandleBytes>;

// What the plugin logged as WARN since the last clear_warnings().
std::vector<std::string> warnings();
void clear_warnings();
// Whether some warning has this text in it.
bool warned_of(const std::string& text);

// What warnings() reads: NCCL's logger as the plugin sees it.
void remember(int level, unsigned long flags, const char* file, int line, const char* format, ...);

// The library, loaded and initialised.
class Library12 {
 public:
  explicit Library12(abi::DebugLogger logger = remember);
  Library12(const Library12&) = delete;
  Library12& operator=(const Library12&) = delete;
  ~Library12();
  const abi::NetV12* operator->() const { return table_; }

  void* listen(HandleBytes* handle) const;
  // Until a comm or an error comes; an error leaves *comm null.
  Result connect(HandleBytes* handle, void** comm) const;
  Result accept(void* listener, void** comm) const;
  // A connected pair. reroute: may change the handle before the connector gets it.
  void pair(void** send_comm, void** recv_comm, const std::function<void(HandleBytes*)>& reroute = {}) const;
  // region: what register_memory() gave; without one nothing is compressed.
  void* post_send(void* comm, const std::vector<uint8_t>& data, void* region = nullptr) const;
  // Lives until the comm is closed, if it is not deregistered.
  void* register_memory(void* comm, const std::vector<uint8_t>& data) const;
  // polled: NCCL's hint that the reader polls flags in the buffer (LL, LL128).
  void* post_recv(void* comm, std::vector<uint8_t>* data, bool polled = false) const;
  // Until the request is done or fails.
  Result wait(void* request, int* bytes = nullptr) const;

 private:
  Library library_;
  const abi::NetV12* table_;
  void* context_ = nullptr;
};

// A connected pair of comms, closed at the end.
struct Ends {
  // reroute: may change the handle before the connector gets it.
  explicit Ends(const Library12& library, const std::function<void(HandleBytes*)>& reroute = {});
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  ~Ends();
  const Library12& net;
  void* send = nullptr;
  void* recv = nullptr;
};

// A stranger's TCP connection to the listener of a handle; -1 when refused.
int call(const HandleBytes& handle);

}  // namespace netsense::testing
