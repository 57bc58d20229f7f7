// What netsense-top shows.
#include "tests/catch.h"
#include "tools/top/table.h"

namespace netsense::top {
namespace {

stats::Host two_processes() {
  stats::Host host;
  host.processes.resize(2);
  for (size_t i = 0; i < 2; ++i) {
    host.processes[i].process.pid = 10 + i;
    telemetry::Connection connection;
    connection.direction = telemetry::Direction::kSend;
    connection.state = telemetry::State::kOpen;
    connection.peer = i == 0 ? "10.0.0.2:1" : "10.0.0.9:1";
    connection.opened_unix_ns = 1'000'000'000;
    connection.raw_bytes = (i + 1) * 125'000'000;
    connection.wire_bytes = 62'500'000;
    connection.network_queue_ns = i == 0 ? 2'500'000 : 0;
    connection.errors = i;
    host.processes[i].connections = {connection};
  }
  host.processes[1].connections[0].error = "it died";
  return host;
}

std::vector<stats::Row> rows_of(const stats::Host& host, const Options& options) {
  return select(stats::RateMeter().rows(host, {}, 2'000'000'000), options);
}

}  // namespace

TEST_CASE("rates and times are printed for people") {
  CHECK(print_rate(0) == "0 bit/s");
  CHECK(print_rate(125) == "1.00 kbit/s");
  CHECK(print_rate(1.25e9) == "10.00 Gbit/s");
  CHECK(print_time(0) == "-");
  CHECK(print_time(1500) == "1.5 us");
  CHECK(print_time(2'500'000) == "2.5 ms");
  CHECK(print_time(3'000'000'000) == "3.0 s");
}

TEST_CASE("the codec mix is in percent of all blocks") {
  telemetry::Connection connection;
  CHECK(print_codecs(connection) == "-");
  connection.blocks_fast = 3;
  connection.blocks_ineligible = 1;
  CHECK(print_codecs(connection) == "fast 75 raw 25");
}

TEST_CASE("connections are chosen and ordered as asked") {
  const stats::Host host = two_processes();
  const auto first_pid = [&](SortBy sort) {
    Options options;
    options.sort = sort;
    return rows_of(host, options).at(0).process->pid;
  };
  CHECK(first_pid(SortBy::kRate) == 11);
  CHECK(first_pid(SortBy::kRatio) == 11);
  CHECK(first_pid(SortBy::kErrors) == 11);
  CHECK(first_pid(SortBy::kPid) == 10);
  CHECK(first_pid(SortBy::kPeer) == 10);
  CHECK(first_pid(SortBy::kDelay) == 10);
  Options options;
  options.peer = "0.0.9";
  REQUIRE(rows_of(host, options).size() == 1);
  CHECK(rows_of(host, options)[0].process->pid == 11);
  options = {};
  options.pid = 10;
  REQUIRE(rows_of(host, options).size() == 1);
  CHECK(rows_of(host, options)[0].process->pid == 10);
}

TEST_CASE("the table has totals, a heading, lines and errors") {
  stats::Host host = two_processes();
  host.unreadable = {{"netsense.5.x", "it is damaged"}};
  const auto lines = table(host, rows_of(host, {}));
  REQUIRE(lines.size() == 7);
  CHECK(lines[0].find("10 on ") == 0);
  CHECK(lines[0].find("sent 1.00 Gbit/s (ratio 2.00)") != std::string::npos);
  CHECK(lines[2].find("netsense.5.x") == 0);
  CHECK(lines[3] == table_heading());
  CHECK(lines[4].find("10.0.0.9:1") != std::string::npos);
  CHECK(lines[5].find("it died") != std::string::npos);
  CHECK(lines[6].find("2.5 ms") != std::string::npos);
  CHECK(table({}, {}).size() == 1);
}

}  // namespace netsense::top
