// What the plugin was last told through setNetAttr (v11 and newer). The service thread tells it while it
// connects, the progress thread before transfers, and only when something changes; both start from what the
// other said last.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "tools/engine/loader/net.h"
#include "tools/engine/proxy/op.h"

namespace netsense::engine {

class AttributeTeller {
 public:
  AttributeTeller(Net& net, void* context) : net_(net), context_(context) {}

  // From the service thread: always told.
  void tell_connecting(const NetAttributes& attributes);
  // From the progress thread, before the first transfer of a step.
  void tell_transfer(const ProxyArgs& args);

 private:
  Net& net_;
  void* context_;
  NetAttributes transfer_;  // the progress thread's own copy
  uint64_t seen_version_ = 0;
  std::mutex mutex_;  // guards connecting_
  NetAttributes connecting_;
  std::atomic<uint64_t> version_{0};
};

}  // namespace netsense::engine
