#include "tools/stats/json.h"

#include "plugin/config/settings.h"

namespace netsense::stats {
namespace {

using nlohmann::ordered_json;

double seconds(uint64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

const char* mode_name(uint64_t mode) {
  if (mode > static_cast<uint64_t>(config::Mode::kAdaptive)) return "unknown";
  switch (static_cast<config::Mode>(mode)) {
    case config::Mode::kOff:
      return "off";
    case config::Mode::kLossless:
      return "lossless";
    case config::Mode::kAdaptive:
      return "adaptive";
  }
  return "unknown";
}

ordered_json to_json(const telemetry::ProcessInfo& process) {
  return {{"pid", process.pid},
          {"host", process.host_name},
          {"version", process.plugin_version},
          {"started_unix_seconds", seconds(process.start_unix_ns)},
          {"connections", ordered_json::array()}};
}

ordered_json blocks(const telemetry::Connection& connection) {
  return {{"raw", connection.blocks_raw()},
          {"fast", connection.blocks_fast},
          {"tight", connection.blocks_tight},
          {"not_smaller", connection.blocks_not_smaller},
          {"lossless", connection.blocks_received_lossless}};
}

ordered_json to_json(const Row& row) {
  const telemetry::Connection& c = *row.connection;
  return {{"slot", c.slot},
          {"generation", c.generation},
          {"direction", to_text(c.direction)},
          {"state", to_text(c.state)},
          {"peer", c.peer},
          {"device", c.device},
          {"overflow", c.overflow},
          {"streams", c.streams},
          {"mode", mode_name(c.mode)},
          {"messages", c.messages},
          {"raw_bytes", c.raw_bytes},
          {"wire_bytes", c.wire_bytes},
          {"raw_bytes_per_second", row.rates.raw_bytes_per_second},
          {"wire_bytes_per_second", row.rates.wire_bytes_per_second},
          {"blocks", blocks(c)},
          {"held_back", {{"ineligible", c.blocks_ineligible}, {"no_gain", c.blocks_without_gain}}},
          {"code_seconds", seconds(c.code_ns)},
          {"decode_seconds", seconds(c.decode_ns)},
          {"rtprop_seconds", seconds(c.rtprop_ns)},
          {"rtt_seconds", seconds(c.rtt_ns)},
          {"btlbw_bytes_per_second", c.btlbw_bytes_per_second},
          {"delivery_bytes_per_second", c.delivery_bytes_per_second},
          {"bdp_bytes", c.bdp_bytes},
          {"host_queue_seconds", seconds(c.host_queue_ns)},
          {"network_queue_seconds", seconds(c.network_queue_ns)},
          {"queue_delay_counts", c.queue_delay},
          {"queue_delay_sum_seconds", seconds(c.queue_delay_sum_ns)},
          {"retransmits", c.retransmits},
          {"errors", c.errors},
          {"error", c.error}};
}

}  // namespace

const char* to_text(telemetry::Direction direction) {
  return direction == telemetry::Direction::kSend ? "send" : "receive";
}

const char* to_text(telemetry::State state) {
  switch (state) {
    case telemetry::State::kOpen:
      return "open";
    case telemetry::State::kFailed:
      return "failed";
    default:
      return "closed";
  }
}

ordered_json to_json(const Host& host, const std::vector<Row>& rows) {
  ordered_json bounds = ordered_json::array();
  for (size_t i = 0; i + 1 < telemetry::kDelayBuckets; ++i)
    bounds.push_back(seconds(telemetry::delay_bound_ns(i)));
  ordered_json processes = ordered_json::array();
  for (const telemetry::Snapshot& snapshot : host.processes) {
    ordered_json process = to_json(snapshot.process);
    for (const Row& row : rows) {
      if (row.process == &snapshot.process) process["connections"].push_back(to_json(row));
    }
    processes.push_back(std::move(process));
  }
  ordered_json unreadable = ordered_json::array();
  for (const Unreadable& file : host.unreadable)
    unreadable.push_back({{"file", file.file}, {"why", file.why}});
  return {{"queue_delay_bounds_seconds", std::move(bounds)},
          {"processes", std::move(processes)},
          {"unreadable", std::move(unreadable)},
          {"leftovers", host.leftovers}};
}

}  // namespace netsense::stats
