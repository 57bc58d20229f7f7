// A directory of statistics files as the tools read it, whatever else lies there.
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/telemetry/registry.h"
#include "tests/catch.h"
#include "tests/unit/telemetry/stats_scene.h"
#include "tools/stats/rates.h"
#include "tools/stats/reader.h"

namespace netsense::stats {
namespace {

using netsense::testing::empty_file;
using netsense::testing::set_header;
using netsense::testing::StatsDirectory;
using std::chrono::seconds;
using telemetry::Header;

telemetry::Snapshot process_with(uint64_t pid, const telemetry::Connection& connection) {
  telemetry::Snapshot snapshot;
  snapshot.process.pid = pid;
  snapshot.connections = {connection};
  return snapshot;
}

}  // namespace

TEST_CASE("the living are read, the dead and the unreadable are counted") {
  const StatsDirectory directory;
  telemetry::Registry registry;
  auto counters =
      registry.open({.on = true, .directory = directory.path().string()},
                    {.direction = telemetry::Direction::kSend, .peer = "10.0.0.2:1", .device = "eth0"});
  counters->block(7, 71);
  std::vector<std::byte> file = empty_file();
  set_header(&file, offsetof(Header, pid), (uint64_t{1} << 30) + 1);
  directory.write("netsense.2.ended", file);
  set_header(&file, offsetof(Header, layout_version), 99);
  directory.write("netsense.3.newer", file);
  file.resize(1000);
  set_header(&file, offsetof(Header, layout_version), telemetry::kLayoutVersion);
  directory.write("netsense.4.short", file);
  directory.write("netsense.5.empty", {});
  directory.write("other", {});
  std::filesystem::create_symlink("netsense.2.ended", directory.path() / "netsense.6.link");
  // Opening it for reading would wait for a writer.
  REQUIRE(::mkfifo((directory.path() / "netsense.7.pipe").c_str(), 0600) == 0);
  std::filesystem::create_directory(directory.path() / "netsense.8.directory");

  const Host host = read_host(directory.path());
  REQUIRE(host.processes.size() == 1);
  CHECK(host.processes[0].process.pid == static_cast<uint64_t>(::getpid()));
  REQUIRE(host.processes[0].connections.size() == 1);
  CHECK(host.processes[0].connections[0].raw_bytes == 7);
  CHECK(host.leftovers == 1);
  CHECK(host.unreadable.size() == 6);
}

TEST_CASE("a directory that is not there is an error with its name") {
  const StatsDirectory directory;
  const auto missing = directory.path() / "missing";
  try {
    read_host(missing);
    FAIL("no error");
  } catch (const std::runtime_error& error) {
    CHECK(std::string(error.what()).find(missing.string()) != std::string::npos);
  }
}

TEST_CASE("rates are differences over time, and means over life at first sight") {
  telemetry::Connection connection;
  connection.slot = 4;
  connection.opened_unix_ns = 10'000'000'000;
  connection.raw_bytes = 1000;
  connection.wire_bytes = 600;
  RateMeter meter;
  const Clock::time_point begin;
  Host host;
  host.processes = {process_with(1, connection), process_with(2, connection)};
  std::vector<Row> rows = meter.rows(host, begin, 14'000'000'000);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].rates.raw_bytes_per_second == Approx(250));
  CHECK(rows[0].rates.wire_bytes_per_second == Approx(150));

  host.processes[0].connections[0].raw_bytes += 500;
  host.processes[0].connections[0].wire_bytes += 100;
  rows = meter.rows(host, begin + seconds(2), 16'000'000'000);
  CHECK(rows[0].rates.raw_bytes_per_second == Approx(250));
  CHECK(rows[0].rates.wire_bytes_per_second == Approx(50));
  CHECK(rows[1].rates.raw_bytes_per_second == 0);

  SECTION("of one that has ended: until then") {
    host.processes = {process_with(3, connection)};
    host.processes[0].connections[0].closed_unix_ns = 12'000'000'000;
    CHECK(meter.rows(host, begin + seconds(4), 18'000'000'000)[0].rates.raw_bytes_per_second == Approx(500));
  }
}

}  // namespace netsense::stats
