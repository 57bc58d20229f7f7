// Makes connections between ranks when an operation first needs them: the order of set-up, the exchange of
// handles and the polling of connect and accept are NCCL's (src/transport.cc).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tools/engine/bootstrap/bootstrap.h"
#include "tools/engine/plan/shape.h"
#include "tools/engine/proxy/net_setup.h"
#include "tools/engine/proxy/service.h"

namespace netsense::engine {

class Connector {
 public:
  struct Parts {
    Net& net;
    Bootstrap& bootstrap;
    ProxyService& service;
    NetSetup& setup;
    ConnectionTable& table;
  };
  struct Options {
    bool gpu_direct = false;
    int devices = 1;  // channels take turns on these
  };

  Connector(const Parts& parts, const CommShape& shape, const Options& options);

  // Remembers a connection to make, unless it exists.
  void want(const ConnectionId& id);
  // Makes what is wanted for this connection index. Every rank concerned must call this with the same round
  // of wishes.
  void connect(int index);

  // In the order of set-up, which is also that of closing.
  [[nodiscard]] const std::vector<Connection*>& in_order() const { return in_order_; }

 private:
  // What one round (rank distance) set up: infos first of what is received, then of what is sent, by channel.
  struct Round {
    int send_peer = 0;
    int recv_peer = 0;
    std::vector<Connection*> receiving;
    std::vector<Connection*> sending;
    std::vector<ConnectInfo> receiving_infos;
    std::vector<ConnectInfo> sending_infos;
  };

  Round set_up_round(int distance, int index);
  Connection* set_up(const ConnectionId& id, ConnectInfo& info);
  void exchange(Round& round, int distance, int index);
  void synchronise(const std::vector<Round>& rounds, int index);
  [[nodiscard]] NetAttributes hints(int index) const;
  [[nodiscard]] uint64_t& wanted(int peer, bool send);

  Parts parts_;
  CommShape shape_;
  Options options_;
  std::vector<uint64_t> wanted_;  // by peer and direction: bits by channel
  std::vector<Connection*> in_order_;
};

}  // namespace netsense::engine
