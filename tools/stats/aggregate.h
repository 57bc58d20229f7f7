// Connections added up: a job has many between the same two hosts, and a metric for each would be more than
// anybody can store.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tools/stats/reader.h"

namespace netsense::stats {

struct GroupKey {
  uint64_t pid = 0;
  telemetry::Direction direction = telemetry::Direction::kUnused;
  std::string peer;  // host
  std::string device;
  auto operator<=>(const GroupKey&) const = default;
};

// Counters are sums over all connections of the group, ended ones too, so none ever falls while the process
// runs. Of what a connection last saw of its path: the smallest rtprop, the largest btlbw, of open
// connections.
struct Group {
  telemetry::Connection sum;
  uint64_t open = 0;
};

std::map<GroupKey, Group> aggregate(const Host& host);

// Adds the counters of `from` to those of `*to`.
void add_counters(const telemetry::Connection& from, telemetry::Connection* to);

}  // namespace netsense::stats
