#include "tools/top/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "tools/stats/json.h"

namespace netsense::top {
namespace {

using stats::Row;
using telemetry::Connection;

// Raw over wire bytes; 0 while there are none.
double ratio(uint64_t raw_bytes, uint64_t wire_bytes) {
  return wire_bytes == 0 ? 0 : static_cast<double>(raw_bytes) / static_cast<double>(wire_bytes);
}

uint64_t queue_delay(const Connection& connection) {
  return connection.host_queue_ns + connection.network_queue_ns;
}

std::string print_ratio(double value) {
  return value == 0 ? "-" : fmt::format("{:.2f}", value);
}

constexpr const char* kLine =
    "{:<8} {:<7} {:<26} {:<10} {:<6} {:>12} {:>12} {:>6} {:<22} {:>9} {:>9} {:>12} {:>4}";

struct Total {
  const telemetry::ProcessInfo* process = nullptr;
  size_t open = 0;
  size_t all = 0;
  // Of the sent and of the received.
  std::array<double, 2> rate{};
  std::array<uint64_t, 2> raw{};
  std::array<uint64_t, 2> wire{};
  uint64_t errors = 0;
};

bool before(const Row& a, const Row& b, SortBy sort) {
  const Connection& x = *a.connection;
  const Connection& y = *b.connection;
  switch (sort) {
    case SortBy::kRate:
      return a.rates.raw_bytes_per_second > b.rates.raw_bytes_per_second;
    case SortBy::kPeer:
      return std::tie(x.peer, x.direction) < std::tie(y.peer, y.direction);
    case SortBy::kPid:
      return a.process->pid < b.process->pid;
    case SortBy::kDelay:
      return queue_delay(x) > queue_delay(y);
    case SortBy::kRatio:
      return ratio(x.raw_bytes, x.wire_bytes) > ratio(y.raw_bytes, y.wire_bytes);
    case SortBy::kErrors:
      return x.errors > y.errors;
  }
  return false;
}

}  // namespace

std::string print_rate(double bytes_per_second) {
  constexpr std::array kUnits{"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"};
  double value = bytes_per_second * 8;
  size_t unit = 0;
  while (value >= 1000 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, unit == 0 ? 0 : 2, kUnits[unit]);
}

std::string print_time(uint64_t ns) {
  if (ns == 0) return "-";
  const auto value = static_cast<double>(ns);
  if (value < 1e6) return fmt::format("{:.1f} us", value * 1e-3);
  if (value < 1e9) return fmt::format("{:.1f} ms", value * 1e-6);
  return fmt::format("{:.1f} s", value * 1e-9);
}

std::string print_codecs(const Connection& connection) {
  const std::array<std::pair<const char*, uint64_t>, 5> kinds{{{"fast", connection.blocks_fast},
                                                               {"tight", connection.blocks_tight},
                                                               {"coded", connection.blocks_received_lossless},
                                                               {"vain", connection.blocks_not_smaller},
                                                               {"raw", connection.blocks_raw()}}};
  double all = 0;
  for (const auto& [name, count] : kinds) all += static_cast<double>(count);
  std::string text;
  for (const auto& [name, count] : kinds) {
    if (count == 0) continue;
    text += fmt::format("{}{} {:.0f}", text.empty() ? "" : " ", name, 100 * static_cast<double>(count) / all);
  }
  return text.empty() ? "-" : text;
}

std::vector<Row> select(std::vector<Row> rows, const Options& options) {
  std::erase_if(rows, [&](const Row& row) {
    return (options.pid && row.process->pid != *options.pid) ||
           row.connection->peer.find(options.peer) == std::string::npos;
  });
  std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) { return before(a, b, options.sort); });
  return rows;
}

std::string table_heading() {
  return fmt::format(kLine, "PID", "DIR", "PEER", "DEVICE", "STATE", "GOODPUT", "WIRE", "RATIO", "BLOCKS %",
                     "QUEUE", "RTPROP", "BTLBW", "ERR");
}

std::string table_line(const Row& row) {
  const Connection& c = *row.connection;
  return fmt::format(
      kLine, row.process->pid, stats::to_text(c.direction), c.peer, c.device, stats::to_text(c.state),
      print_rate(row.rates.raw_bytes_per_second), print_rate(row.rates.wire_bytes_per_second),
      print_ratio(ratio(c.raw_bytes, c.wire_bytes)), print_codecs(c), print_time(queue_delay(c)),
      print_time(c.rtprop_ns),
      c.btlbw_bytes_per_second == 0 ? "-" : print_rate(static_cast<double>(c.btlbw_bytes_per_second)),
      c.errors);
}

std::vector<std::string> totals(const std::vector<Row>& rows) {
  // Processes of different containers may have the same pid.
  std::map<std::pair<uint64_t, const telemetry::ProcessInfo*>, Total> sums;
  for (const Row& row : rows) {
    const Connection& c = *row.connection;
    Total& total = sums[{row.process->pid, row.process}];
    total.process = row.process;
    ++total.all;
    if (c.state == telemetry::State::kOpen) ++total.open;
    const size_t way = c.direction == telemetry::Direction::kSend ? 0 : 1;
    total.rate[way] += row.rates.raw_bytes_per_second;
    total.raw[way] += c.raw_bytes;
    total.wire[way] += c.wire_bytes;
    total.errors += c.errors;
  }
  std::vector<std::string> lines;
  for (const auto& [key, total] : sums) {
    lines.push_back(fmt::format(
        "{} on {}, netsense {}: {} of {} connections open; sent {} (ratio {}), received {} "
        "(ratio {}); {} errors",
        total.process->pid, total.process->host_name, total.process->plugin_version, total.open, total.all,
        print_rate(total.rate[0]), print_ratio(ratio(total.raw[0], total.wire[0])), print_rate(total.rate[1]),
        print_ratio(ratio(total.raw[1], total.wire[1])), total.errors));
  }
  return lines;
}

std::vector<std::string> table(const stats::Host& host, const std::vector<Row>& rows) {
  std::vector<std::string> lines = totals(rows);
  if (host.processes.empty())
    lines.emplace_back("no process on this host uses netsense, or its statistics are off");
  for (const stats::Unreadable& file : host.unreadable) {
    lines.push_back(fmt::format("{} cannot be read: {}", file.file, file.why));
  }
  if (rows.empty()) return lines;
  lines.push_back(table_heading());
  for (const Row& row : rows) {
    lines.push_back(table_line(row));
    if (!row.connection->error.empty()) lines.push_back(fmt::format("         {}", row.connection->error));
  }
  return lines;
}

}  // namespace netsense::top
