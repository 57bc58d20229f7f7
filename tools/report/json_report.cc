#include <nlohmann/json.hpp>

#include "tools/report/names.h"
#include "tools/report/report.h"

namespace netsense::report {
namespace {

using nlohmann::json;

json sent(const Totals& totals) {
  json by_codec;
  for (size_t i = 0; i < kActions; ++i) {
    by_codec[std::string(action_name(i))] = {{"raw_bytes", totals.bytes_as[i]},
                                             {"blocks", totals.blocks_as[i]},
                                             {"encode_seconds", totals.encode_seconds[i]}};
  }
  json decisions = json::object();
  json why_raw = json::object();
  for (size_t i = 0; i < kReasons; ++i) {
    const std::string key(reason_key(i));
    if (totals.blocks_because[i] != 0) decisions[key] = totals.blocks_because[i];
    if (totals.raw_bytes_because[i] != 0) why_raw[key] = totals.raw_bytes_because[i];
  }
  if (totals.in_vain_bytes != 0) why_raw["not_smaller"] = totals.in_vain_bytes;
  return {{"codecs", by_codec},
          {"decided_blocks", decisions},
          {"why_raw_bytes", why_raw},
          {"saved_seconds", totals.saved_seconds},
          {"acknowledged_messages", totals.acknowledged_messages},
          {"looks", totals.looks},
          {"congested_looks", totals.congested_looks},
          {"mean_queue_seconds", totals.mean_queue_seconds()},
          {"longest_queue_seconds", totals.longest_queue_seconds}};
}

json totals_of(telemetry::Direction direction, const Totals& totals) {
  json out{{"direction", direction == telemetry::Direction::kSend ? "send" : "receive"},
           {"raw_bytes", totals.raw_bytes},
           {"wire_bytes", totals.wire_bytes},
           {"blocks", totals.blocks}};
  if (direction == telemetry::Direction::kSend) {
    out.update(sent(totals));
  } else {
    out["decoded_blocks"] = totals.decoded_blocks;
    out["decode_seconds"] = totals.decode_seconds;
  }
  return out;
}

json trace_of(const Trace& trace) {
  json out{{"file", trace.file}, {"remarks", remarks(trace)}, {"records", trace.outcome.records}};
  if (trace.outcome.error == telemetry::TraceError::kForeign ||
      trace.outcome.error == telemetry::TraceError::kVersion) {
    return out;
  }
  out.update({{"name", trace.name},
              {"host", telemetry::trace_text(trace.header.host_name)},
              {"pid", trace.header.pid},
              {"version", telemetry::trace_text(trace.header.plugin_version)},
              {"mode", mode_name(trace.header.mode)},
              {"codec", codec_setting_name(trace.header.codec)},
              {"complete", trace.outcome.error == telemetry::TraceError::kNone && trace.lost == 0 &&
                               trace.limit_bytes == 0}});
  if (trace.header.rank >= 0) out["rank"] = trace.header.rank;
  return out;
}

}  // namespace

std::string json_report(const TraceSet& set, const std::vector<Path>& paths) {
  json out{{"begin_unix_ns", set.begin_unix_ns}, {"seconds", set.seconds}};
  out["traces"] = json::array();
  for (const Trace& trace : set.traces) out["traces"].push_back(trace_of(trace));
  out["paths"] = json::array();
  for (const Path& path : paths) {
    json entry = totals_of(path.direction, path.totals);
    entry.update({{"trace", path.trace}, {"peer", path.host}, {"connections", json::array()}});
    for (const size_t i : path.connections) {
      const Connection& connection = set.connections[i];
      json one = totals_of(connection.direction, connection.totals);
      one.update({{"number", connection.number},
                  {"peer", connection.peer},
                  {"device", connection.device},
                  {"streams", connection.streams},
                  {"coding", connection.coding},
                  {"closed", connection.closed}});
      entry["connections"].push_back(one);
    }
    out["paths"].push_back(entry);
  }
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace netsense::report
