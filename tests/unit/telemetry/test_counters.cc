// What the writer counts, as the parser sees it.
#include <atomic>
#include <thread>

#include "plugin/telemetry/counters.h"
#include "plugin/telemetry/segment.h"
#include "tests/catch.h"
#include "tests/unit/telemetry/stats_scene.h"

namespace netsense::telemetry {
namespace {

using netsense::testing::read_bytes;
using netsense::testing::StatsDirectory;
using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

}  // namespace

TEST_CASE("a delay falls in the first bucket that holds it") {
  CHECK(delay_bucket(0) == 0);
  for (size_t i = 0; i + 1 < kDelayBuckets; ++i) {
    CHECK(delay_bucket(delay_bound_ns(i)) == i);
    CHECK(delay_bucket(delay_bound_ns(i) + 1) == i + 1);
  }
  CHECK(delay_bucket(~uint64_t{0}) == kDelayBuckets - 1);
}

TEST_CASE("each event is counted where it belongs") {
  Slot slot{};
  Counters counters(slot, true, [] {});
  counters.message();
  counters.block(1000, 564);
  counters.block(1000, 1064);
  counters.coded(Tier::kFast, true, nanoseconds(5));
  counters.coded(Tier::kTight, true, nanoseconds(6));
  counters.coded(Tier::kTight, false, nanoseconds(7));
  counters.ineligible();
  counters.without_gain();
  counters.received_raw();
  counters.decoded(nanoseconds(9));
  counters.retransmitted(4);
  CHECK(slot.messages == 1);
  CHECK(slot.raw_bytes == 2000);
  CHECK(slot.wire_bytes == 1628);
  CHECK(slot.blocks_fast == 1);
  CHECK(slot.blocks_tight == 1);
  CHECK(slot.blocks_not_smaller == 1);
  CHECK(slot.code_ns == 18);
  CHECK(slot.blocks_ineligible == 1);
  CHECK(slot.blocks_without_gain == 1);
  CHECK(slot.blocks_received_raw == 1);
  CHECK(slot.blocks_received_lossless == 1);
  CHECK(slot.decode_ns == 9);
  CHECK(slot.retransmits == 4);
}

TEST_CASE("a path is shown as it is, and its queue delay collected once a round trip is known") {
  Slot slot{};
  Counters counters(slot, true, [] {});
  counters.sensed({.host_queue = seconds(1)});
  CHECK(slot.queue_delay[delay_bucket(1'000'000'000)] == 0);
  counters.sensed({.rtprop = microseconds(100),
                   .rtt = microseconds(150),
                   .btlbw_bytes_per_second = 1e9,
                   .delivery_bytes_per_second = -1,
                   .bdp_bytes = 1e5,
                   .host_queue = microseconds(30),
                   .network_queue = microseconds(50)});
  CHECK(slot.rtprop_ns == 100'000);
  CHECK(slot.rtt_ns == 150'000);
  CHECK(slot.btlbw_bytes_per_second == 1'000'000'000);
  CHECK(slot.delivery_bytes_per_second == 0);
  CHECK(slot.bdp_bytes == 100'000);
  CHECK(slot.queue_delay[3] == 1);  // 80 us
  CHECK(slot.queue_delay_sum_ns == 80'000);
}

TEST_CASE("a slot for many shows sums only") {
  Slot slot{};
  {
    Counters counters(slot, false, [] {});
    counters.sensed({.rtprop = microseconds(100), .rtt = microseconds(150)});
    counters.failed("gone");
  }
  CHECK(slot.errors == 1);
  CHECK(slot.queue_delay[0] == 1);
  CHECK(slot.rtprop_ns == 0);
  CHECK(slot.error[0] == 0);
  CHECK(slot.closed_unix_ns == 0);
}

// Two threads count at once and a third reads the file: no value is ever lost, torn, or seen to fall.
TEST_CASE("values stay whole while they are written") {
  const StatsDirectory directory;
  std::string why;
  const auto segment = Segment::in_file(directory.path().string(), &why);
  REQUIRE(segment != nullptr);
  Slot& slot = segment->slot(5);
  slot.direction = 1;
  slot.state = 1;
  // Steps that carry through the whole word: a torn one would be no multiple.
  constexpr uint64_t kStep = 0x0000'0101'0101'0101;
  constexpr int kRounds = 20000;
  Counters counters(slot, true, [] {});
  std::atomic<int> running{2};
  const auto count = [&] {
    for (int i = 0; i < kRounds; ++i) counters.block(kStep, 1);
    --running;
  };
  std::thread first(count);
  std::thread second(count);
  uint64_t before = 0;
  bool whole = true;
  bool rising = true;
  const auto look = [&] {
    Snapshot snapshot;
    if (parse_stats(read_bytes(segment->path()), &snapshot) != ParseError::kNone) return;
    const uint64_t value = snapshot.connections.at(0).raw_bytes;
    whole = whole && value % kStep == 0;
    rising = rising && value >= before;
    before = value;
  };
  while (running > 0) look();
  first.join();
  second.join();
  look();
  CHECK(whole);
  CHECK(rising);
  CHECK(before == 2 * kRounds * kStep);
}

}  // namespace netsense::telemetry
