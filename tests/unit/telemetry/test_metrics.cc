// The metrics' values, and the text file.
#include <fstream>

#include "tests/catch.h"
#include "tests/unit/telemetry/stats_scene.h"
#include "tools/exporter/metrics.h"
#include "tools/exporter/text_file.h"

namespace netsense::exporter {
namespace {

using netsense::testing::StatsDirectory;

stats::Host one_process() {
  telemetry::Connection connection;
  connection.direction = telemetry::Direction::kSend;
  connection.state = telemetry::State::kOpen;
  connection.peer = "10.0.0.2:4321";
  connection.device = "eth0";
  connection.raw_bytes = 1000;
  connection.wire_bytes = 640;
  connection.blocks_fast = 3;
  connection.blocks_ineligible = 1;
  connection.blocks_without_gain = 1;
  connection.rtprop_ns = 250'000;
  connection.queue_delay[0] = 2;
  connection.queue_delay[telemetry::kDelayBuckets - 1] = 1;
  connection.queue_delay_sum_ns = 20'000'000'000;
  stats::Host host;
  host.processes.resize(1);
  host.processes[0].process.pid = 7;
  host.processes[0].process.host_name = "node1";
  host.processes[0].process.plugin_version = "1.2.3";
  host.processes[0].connections = {connection};
  return host;
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("each metric has its value in base units, without the peer's port") {
  const std::string text = to_text(metrics_of(one_process()));
  INFO(text);
  const std::string labels = R"(pid="7",direction="send",peer="10.0.0.2",device="eth0")";
  CHECK(has_line(text, "netsense_raw_bytes_total{" + labels + "} 1000"));
  CHECK(has_line(text, "netsense_wire_bytes_total{" + labels + "} 640"));
  CHECK(has_line(text, "netsense_blocks_total{" + labels + R"(,codec="fast"} 3)"));
  CHECK(has_line(text, "netsense_blocks_total{" + labels + R"(,codec="raw"} 2)"));
  CHECK(has_line(text, "netsense_queue_delay_seconds_count{" + labels + "} 3"));
  CHECK(has_line(text, "netsense_queue_delay_seconds_sum{" + labels + "} 20"));
  CHECK(has_line(text, "netsense_queue_delay_seconds_bucket{" + labels + R"(,le="+Inf"} 3)"));
  CHECK(has_line(text, R"(netsense_info{pid="7",host="node1",version="1.2.3"} 1)"));
  CHECK(text.find("netsense_rtprop_seconds{" + labels + "} 0.00025") != std::string::npos);
  // Not known yet.
  CHECK(text.find("netsense_btlbw_bytes_per_second{") == std::string::npos);
}

TEST_CASE("processes with the same number give no metric twice") {
  stats::Host host = one_process();
  host.processes.push_back(host.processes[0]);
  const std::string text = to_text(metrics_of(host));
  const size_t first = text.find("netsense_info{");
  CHECK(text.find("netsense_info{", first + 1) == std::string::npos);
}

TEST_CASE("a directory that cannot be read is a metric") {
  const StatsDirectory directory;
  CHECK(has_line(to_text(Collector(directory.path()).Collect()), "netsense_directory_readable 1"));
  CHECK(
      has_line(to_text(Collector(directory.path() / "missing").Collect()), "netsense_directory_readable 0"));
}

TEST_CASE("the text file is replaced as a whole, and nothing is left beside it") {
  const StatsDirectory directory;
  const auto path = directory.path() / "netsense.prom";
  replace_file(path, "first, and longer\n");
  // Who has the old file open keeps it: the new one is another.
  std::ifstream old(path);
  replace_file(path, "second\n");
  std::string line;
  std::getline(old, line);
  CHECK(line == "first, and longer");
  std::ifstream fresh(path);
  std::getline(fresh, line);
  CHECK(line == "second");
  CHECK(directory.files().size() == 1);
  CHECK_THROWS_AS(replace_file(directory.path() / "missing" / "netsense.prom", "x"), std::runtime_error);
  std::filesystem::create_directory(directory.path() / "taken");
  CHECK_THROWS_AS(replace_file(directory.path() / "taken", "x"), std::runtime_error);
  CHECK(directory.files().size() == 2);
}

}  // namespace netsense::exporter
