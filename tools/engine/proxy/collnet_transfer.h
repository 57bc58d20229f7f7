// How operations of CollNet move forward (src/transport/coll_net.cc): channels are gathered in groups; for
// each step a group makes one call of the plugin over the chunks of all its channels, in the same order on
// every rank.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "tools/engine/loader/collnet.h"
#include "tools/engine/proxy/op.h"

namespace netsense::engine {

inline constexpr int kCollNetGroup = 8;  // channels in one call of the plugin

// The pool holds, for sending and then for receiving, kSteps slots of one step for every channel.
struct CollNetContext {
  CollNet* collnet = nullptr;
  void* comm = nullptr;
  std::byte* pool = nullptr;
  size_t step_bytes = 0;  // of one channel
  int channels = 0;
  bool flush = false;
  void* recv_memory = nullptr;  // as registered by the last receiving connection

  // Whose turn a group's step is, between the sending and the receiving operation.
  struct Turn {
    bool sending = false;
    size_t bytes = 0;
  };
  std::array<std::array<Turn, kSteps>, kMaxSubs / kCollNetGroup> turns{};
};

ns_result progress_collnet_send(CollNetContext& context, ProxyArgs& args);
ns_result progress_collnet_recv(CollNetContext& context, ProxyArgs& args);

}  // namespace netsense::engine
