#include "tools/stats/aggregate.h"

#include "plugin/telemetry/peer.h"

#include <algorithm>
#include <array>

namespace netsense::stats {
namespace {

using telemetry::Connection;

constexpr std::array kCounters{&Connection::messages,
                               &Connection::raw_bytes,
                               &Connection::wire_bytes,
                               &Connection::blocks_ineligible,
                               &Connection::blocks_without_gain,
                               &Connection::blocks_fast,
                               &Connection::blocks_tight,
                               &Connection::blocks_not_smaller,
                               &Connection::blocks_received_raw,
                               &Connection::blocks_received_lossless,
                               &Connection::code_ns,
                               &Connection::decode_ns,
                               &Connection::errors,
                               &Connection::retransmits,
                               &Connection::queue_delay_sum_ns};

uint64_t smallest_known(uint64_t a, uint64_t b) {
  return a == 0 || (b != 0 && b < a) ? b : a;
}

void add_path(const Connection& from, Connection* to) {
  to->rtprop_ns = smallest_known(to->rtprop_ns, from.rtprop_ns);
  to->rtt_ns = std::max(to->rtt_ns, from.rtt_ns);
  to->btlbw_bytes_per_second = std::max(to->btlbw_bytes_per_second, from.btlbw_bytes_per_second);
  to->delivery_bytes_per_second += from.delivery_bytes_per_second;
  to->bdp_bytes = std::max(to->bdp_bytes, from.bdp_bytes);
}

}  // namespace

void add_counters(const Connection& from, Connection* to) {
  for (const auto counter : kCounters) to->*counter += from.*counter;
  for (size_t i = 0; i < from.queue_delay.size(); ++i) to->queue_delay[i] += from.queue_delay[i];
}

std::map<GroupKey, Group> aggregate(const Host& host) {
  std::map<GroupKey, Group> groups;
  for (const telemetry::Snapshot& snapshot : host.processes) {
    for (const Connection& connection : snapshot.connections) {
      Group& group = groups[{snapshot.process.pid, connection.direction,
                             std::string(telemetry::host_of(connection.peer)), connection.device}];
      add_counters(connection, &group.sum);
      if (connection.state != telemetry::State::kOpen) continue;
      ++group.open;
      add_path(connection, &group.sum);
    }
  }
  return groups;
}

}  // namespace netsense::stats
