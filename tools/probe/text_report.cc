#include <fmt/format.h>

#include "tools/probe/report.h"

namespace netsense::mesh {
namespace {

std::string line(const Mesh& mesh, size_t from, size_t to) {
  const Cell& cell = mesh.at(from, to);
  const auto time = [](double value) { return format_quantity(value, Unit::kSeconds); };
  const auto rate = [](double value) { return format_quantity(value, Unit::kBytesPerSecond); };
  return fmt::format(
      "{:>4} {:>4} {:>10} {:>10} {:>10} {:>10} {:>13} {:>13} {:>10} {:>10} {:>10} {:>13} {:>13}\n", from, to,
      time(cell.rtt_min), time(cell.rtt_median), time(cell.rtt_p99), time(cell.variation_p99),
      rate(cell.bandwidth), rate(mesh.at(to, from).bandwidth), time(cell.loaded_rtt_median),
      time(cell.rtprop), time(cell.queue_delay), rate(cell.btlbw), rate(cell.all_bandwidth));
}

}  // namespace

std::string text_report(const Mesh& mesh, const std::vector<std::string>& findings) {
  std::string text;
  for (size_t rank = 0; rank < mesh.hosts.size(); ++rank) {
    const Host& host = mesh.hosts[rank];
    text += fmt::format("# rank {:>3}: {}, {} ({})\n", rank, host.name, host.address, host.interface);
  }
  text += fmt::format("#{:>3} {:>4} {:>32} {:>10} {:>13} {:>13} {:>10} {:>10} {:>10} {:>13} {:>13}\n", "", "",
                      "round trip, idle", "one-way", "bandwidth", "bandwidth", "loaded", "", "queue", "",
                      "all at once");
  text += fmt::format(
      "#{:>3} {:>4} {:>10} {:>10} {:>10} {:>10} {:>13} {:>13} {:>10} {:>10} {:>10} {:>13} {:>13}\n", "from",
      "to", "min", "median", "99 %", "var. 99 %", "up", "down", "round trip", "RTprop", "delay", "BtlBw",
      "bandwidth");
  for (size_t from = 0; from < mesh.hosts.size(); ++from) {
    for (size_t to = 0; to < mesh.hosts.size(); ++to) {
      if (from != to) text += line(mesh, from, to);
    }
  }
  for (const std::string& finding : findings) text += fmt::format("# {}\n", finding);
  if (findings.empty()) text += "# Nothing stands out: no pair is slow or asymmetric.\n";
  return text;
}

}  // namespace netsense::mesh
