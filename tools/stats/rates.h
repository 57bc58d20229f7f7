// What happened between two looks.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tools/stats/reader.h"

namespace netsense::stats {

using Clock = std::chrono::steady_clock;

// Of one connection, between the last two looks; over its whole life, as far as it lies before the second
// look, when there was only one.
struct Rates {
  double raw_bytes_per_second = 0;
  double wire_bytes_per_second = 0;
};

struct Row {
  const telemetry::ProcessInfo* process;
  const telemetry::Connection* connection;
  Rates rates;
};

class RateMeter {
 public:
  // now_unix_ns: the clock that the files' times are of. The rows point into `host`.
  std::vector<Row> rows(const Host& host, Clock::time_point now, uint64_t now_unix_ns);

 private:
  struct Seen {
    uint64_t raw_bytes;
    uint64_t wire_bytes;
  };
  // Process (pid, start) and slot.
  using Key = std::pair<std::pair<uint64_t, uint64_t>, size_t>;

  std::map<Key, Seen> seen_;
  Clock::time_point at_;
};

}  // namespace netsense::stats
