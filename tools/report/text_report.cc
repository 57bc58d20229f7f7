#include <fmt/format.h>

#include "tools/report/names.h"
#include "tools/report/report.h"
#include "tools/report/units.h"

namespace netsense::report {

using telemetry::TraceError;

std::string why_raw(const Totals& totals) {
  std::string text;
  const auto add = [&](std::string_view why, uint64_t bytes) {
    if (bytes == 0) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", why, format_bytes(bytes));
  };
  for (size_t i = 0; i < kReasons; ++i) add(reason_name(i), totals.raw_bytes_because[i]);
  add("did not shrink", totals.in_vain_bytes);
  return text;
}

std::vector<std::string> remarks(const Trace& trace) {
  std::vector<std::string> all;
  const telemetry::TraceOutcome& outcome = trace.outcome;
  if (outcome.error == TraceError::kForeign || outcome.error == TraceError::kVersion) {
    all.emplace_back(fmt::format("not read: {}", describe(outcome.error)));
  } else if (outcome.error != TraceError::kNone) {
    all.emplace_back(fmt::format("{} at byte {}: what comes before is shown ({} records)",
                                 describe(outcome.error), outcome.position, outcome.records));
  }
  if (trace.lost > 0) all.emplace_back(fmt::format("{} records are missing: they came too fast", trace.lost));
  if (trace.limit_bytes > 0) {
    all.emplace_back(fmt::format("it ends at its limit of {} (NETSENSE_TRACE_LIMIT), before the process did",
                                 format_bytes(trace.limit_bytes)));
  }
  return all;
}

std::string text_report(const TraceSet& set, const std::vector<Path>& paths) {
  std::string out =
      fmt::format("{} of traffic, from {}\n", format_time(set.seconds), format_date(set.begin_unix_ns));
  for (const Trace& trace : set.traces) {
    for (const std::string& remark : remarks(trace)) out += fmt::format("{}: {}\n", trace.file, remark);
  }
  for (const Path& path : paths) {
    const Totals& totals = path.totals;
    out += fmt::format("\n{}: {} in {} blocks, {} connections\n", path.title, format_bytes(totals.raw_bytes),
                       totals.blocks, path.connections.size());
    out +=
        fmt::format("  on the wire     {}, ratio {:.3f}\n", format_bytes(totals.wire_bytes), totals.ratio());
    if (path.direction == telemetry::Direction::kReceive) {
      out += fmt::format("  decoding        {} blocks, {}\n", totals.decoded_blocks,
                         format_time(totals.decode_seconds));
      continue;
    }
    if (totals.looks > 0) {
      out += fmt::format(
          "  queue delay     mean {}, longest {}; congested in {:.0f} % of the looks\n",
          format_time(totals.mean_queue_seconds()), format_time(totals.longest_queue_seconds),
          100.0 * static_cast<double>(totals.congested_looks) / static_cast<double>(totals.looks));
    }
    for (size_t i = 0; i < kActions; ++i) {
      if (totals.blocks_as[i] == 0 && totals.encode_seconds[i] == 0) continue;
      out += fmt::format("  sent {:<10} {} in {} blocks", action_name(i), format_bytes(totals.bytes_as[i]),
                         totals.blocks_as[i]);
      if (i > 0) out += fmt::format(", {} of encoding", format_time(totals.encode_seconds[i]));
      out += '\n';
    }
    const std::string why = why_raw(totals);
    if (!why.empty()) out += fmt::format("  why raw         {}\n", why);
    if (totals.saved_seconds != 0) {
      out += fmt::format("  saved           {} as the model had it, added up over blocks\n",
                         format_time(totals.saved_seconds));
    }
  }
  return out;
}

}  // namespace netsense::report
