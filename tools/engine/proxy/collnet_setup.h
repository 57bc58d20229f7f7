// The network side of CollNet chains: one plugin comm for all channels, and per channel a receiving and a
// sending connection to "the network" (peer number = number of ranks), with buffers in one pool.
#pragma once

#include <array>
#include <vector>

#include "tools/engine/bootstrap/bootstrap.h"
#include "tools/engine/loader/collnet.h"
#include "tools/engine/plan/plan.h"
#include "tools/engine/proxy/collnet_transfer.h"
#include "tools/engine/proxy/connection.h"
#include "tools/engine/proxy/service.h"

namespace netsense::engine {

class CollNetSetup {
 public:
  struct Parts {
    Net& net;
    CollNet& collnet;
    void* context;
    Bootstrap& bootstrap;
    ProxyService& service;
    ConnectionTable& table;
  };

  CollNetSetup(const Parts& parts, const CommShape& shape, const PlanSettings& settings, bool gpu_direct);

  // Makes all connections and asks what can be reduced. Collective; false on every rank when it fails on one.
  bool connect();
  [[nodiscard]] bool supports(ns_type type, ns_op op) const;
  // What the progress thread needs.
  [[nodiscard]] CollNetContext& transfer() { return transfer_; }
  // On the service thread.
  void close();

 private:
  void set_up(Connection& connection, Handle* handle);
  bool connect_channel(int channel);
  void join(std::vector<Handle> handles);
  void use_pool(Connection& connection);
  Connection& add(int channel, bool send);
  void ask_support();

  Parts parts_;
  CommShape shape_;
  PlanSettings settings_;
  bool gpu_direct_;
  void* listener_ = nullptr;
  Memory pool_;
  std::vector<Connection*> in_order_;
  std::array<ProxyArgs*, 2> last_args_{};  // receiving, sending
  std::array<std::array<bool, ns_num_types>, 4> supported_{};
  CollNetContext transfer_;
};

}  // namespace netsense::engine
