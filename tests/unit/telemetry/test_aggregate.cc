// Connections added up per peer host, device and direction.
#include "tests/catch.h"
#include "tools/stats/aggregate.h"

namespace netsense::stats {
namespace {

telemetry::Connection connection(const std::string& peer, telemetry::State state, uint64_t bytes) {
  telemetry::Connection made;
  made.direction = telemetry::Direction::kSend;
  made.state = state;
  made.peer = peer;
  made.device = "eth0";
  made.raw_bytes = bytes;
  made.queue_delay[3] = bytes;
  made.rtprop_ns = bytes;
  made.btlbw_bytes_per_second = bytes;
  return made;
}

}  // namespace

TEST_CASE("counters of ended connections stay, what they saw of the path does not") {
  Host host;
  host.processes.resize(1);
  host.processes[0].process.pid = 7;
  host.processes[0].connections = {connection("10.0.0.2:1", telemetry::State::kOpen, 20),
                                   connection("10.0.0.2:2", telemetry::State::kOpen, 30),
                                   connection("10.0.0.2:3", telemetry::State::kClosed, 4),
                                   connection("10.0.0.2:4", telemetry::State::kFailed, 500),
                                   connection("10.0.0.3:1", telemetry::State::kOpen, 6000)};
  const auto groups = aggregate(host);
  REQUIRE(groups.size() == 2);
  const Group& group = groups.at({7, telemetry::Direction::kSend, "10.0.0.2", "eth0"});
  CHECK(group.open == 2);
  CHECK(group.sum.raw_bytes == 554);
  CHECK(group.sum.queue_delay[3] == 554);
  CHECK(group.sum.rtprop_ns == 20);
  CHECK(group.sum.btlbw_bytes_per_second == 30);
}

TEST_CASE("a round trip that nobody knows does not count as the smallest") {
  Host host;
  host.processes.resize(1);
  host.processes[0].connections = {connection("a:1", telemetry::State::kOpen, 0),
                                   connection("a:1", telemetry::State::kOpen, 9),
                                   connection("a:1", telemetry::State::kOpen, 0)};
  CHECK(aggregate(host).begin()->second.sum.rtprop_ns == 9);
}

}  // namespace netsense::stats
