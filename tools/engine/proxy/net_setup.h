// What the service thread does with the plugin for one connection, in NCCL's order: properties and listen,
// then connect or accept until there is a comm, closing of the listener, registration; at the end
// deregistration and close.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "tools/engine/loader/net.h"
#include "tools/engine/plan/plan.h"
#include "tools/engine/proxy/attributes.h"
#include "tools/engine/proxy/connection.h"
#include "tools/engine/trace/traced_net.h"

namespace netsense::engine {

// What the receiving side tells the sending side.
struct ConnectInfo {
  Handle handle{};
  HandleLabel label{};
  int32_t gpu_direct = 0;
};

class NetSetup {
 public:
  NetSetup(Net& net, void* context, AttributeTeller& attributes, const PlanSettings& settings, int ranks,
           int p2p_channels);

  // For receiving connections `info` is filled.
  void set_up(Connection& connection, ConnectInfo* info);
  // One attempt; true when the connection is complete.
  bool connect(Connection& connection, ConnectInfo& info, const NetAttributes& hints);
  void close(Connection& connection);

 private:
  // Grouped receives make all connections of send/recv between two ranks on a channel one comm.
  struct SharedComm {
    void* comm = nullptr;
    int users = 0;
  };
  SharedComm& shared_comm(const Connection& connection);
  ProxyArgs*& last_shared_args(const Connection& connection);
  bool shares_comm(const Connection& connection) const {
    return connection.shared && connection.max_recvs > 1;
  }
  void make_buffers(Connection& connection);
  void use_pool(Connection& connection);
  void add_low_latency_buffer(Connection& connection);

  Net& net_;
  void* context_;
  AttributeTeller& attributes_;
  PlanSettings settings_;
  int ranks_;
  size_t pool_bytes_;
  std::array<Memory, 2> pools_;               // send/recv: receiving, sending; made at first use
  std::vector<ProxyArgs*> last_shared_args_;  // by channel and direction
  std::vector<SharedComm> shared_comms_;
};

}  // namespace netsense::engine
