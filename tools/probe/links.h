// The connections between the ranks of one run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "probe/one_way_delay.h"
#include "tools/perf/rendezvous.h"
#include "tools/probe/cell.h"

namespace netsense::mesh {

// What a rank keeps about another for the whole run.
struct Peer {
  perf::Socket messages;     // pings and their answers, both ways
  probe::OneWayDelay delay;  // of what comes from it; knows from idle times how quick a frame can be
};

using SocketOfRank = std::map<int, perf::Socket>;

class Links {
 public:
  // Tells the others where this rank is (`host`), and connects with each. Collective. Every wait ends after
  // `timeout`; throws perf::Error naming the rank that cannot be reached, is missing or is something else.
  // Connections from strangers are dropped with a line on standard error.
  Links(Host host, perf::Rendezvous& rendezvous, std::chrono::seconds timeout);

  [[nodiscard]] const std::vector<Host>& hosts() const { return hosts_; }
  [[nodiscard]] std::string name(int rank) const { return name_rank(hosts_, static_cast<size_t>(rank)); }
  [[nodiscard]] Peer& peer(int rank) { return peers_.at(rank); }
  [[nodiscard]] std::chrono::seconds timeout() const { return timeout_; }

  struct LoadConnections {
    SocketOfRank to;    // this rank sends
    SocketOfRank from;  // this rank receives
  };
  // New connections for load; `targets` must at the same time expect this rank among their `sources`.
  [[nodiscard]] LoadConnections connect_load(const std::vector<int>& targets,
                                             const std::vector<int>& sources);

 private:
  LoadConnections connect(const std::vector<int>& targets, const std::vector<int>& sources, bool bulk);
  void accept_one(SocketOfRank& expected, bool bulk, perf::Deadline deadline);
  void greet(const perf::Socket& socket, bool bulk, perf::Deadline deadline) const;
  void check_greeting(int rank, const perf::Socket& socket, bool bulk, perf::Deadline deadline) const;
  [[nodiscard]] perf::Address address_of(int rank) const;

  int rank_;
  std::chrono::seconds timeout_;
  uint64_t token_ = 0;  // keeps out whoever does not belong to this run
  perf::Socket listener_;
  std::vector<Host> hosts_;
  std::vector<uint16_t> ports_;
  std::map<int, Peer> peers_;
};

}  // namespace netsense::mesh
