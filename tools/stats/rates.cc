#include "tools/stats/rates.h"

#include <algorithm>

namespace netsense::stats {
namespace {

double per_second(uint64_t now, uint64_t before, double seconds) {
  return seconds > 0 && now > before ? static_cast<double>(now - before) / seconds : 0;
}

// Of a connection seen for the first time: since it was made, until it ended or now.
double life_seconds(const telemetry::Connection& connection, uint64_t now_unix_ns) {
  const uint64_t end = connection.closed_unix_ns != 0 ? connection.closed_unix_ns : now_unix_ns;
  return end > connection.opened_unix_ns ? static_cast<double>(end - connection.opened_unix_ns) * 1e-9 : 0;
}

}  // namespace

std::vector<Row> RateMeter::rows(const Host& host, Clock::time_point now, uint64_t now_unix_ns) {
  const double seconds = std::chrono::duration<double>(now - at_).count();
  std::map<Key, Seen> seen;
  std::vector<Row> rows;
  for (const telemetry::Snapshot& snapshot : host.processes) {
    for (const telemetry::Connection& connection : snapshot.connections) {
      const Key key{{snapshot.process.pid, snapshot.process.start_unix_ns}, connection.slot};
      const auto before = seen_.find(key);
      const bool known = before != seen_.end();
      const Seen from = known ? before->second : Seen{};
      const double time = known ? seconds : life_seconds(connection, now_unix_ns);
      rows.push_back({&snapshot.process,
                      &connection,
                      {per_second(connection.raw_bytes, from.raw_bytes, time),
                       per_second(connection.wire_bytes, from.wire_bytes, time)}});
      seen[key] = {connection.raw_bytes, connection.wire_bytes};
    }
  }
  seen_ = std::move(seen);
  at_ = now;
  return rows;
}

}  // namespace netsense::stats
