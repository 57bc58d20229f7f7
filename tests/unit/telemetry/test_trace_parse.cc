// What is read of a trace, whole or not.
#include <cmath>
#include <limits>

#include "plugin/telemetry/layout.h"
#include "tests/catch.h"
#include "tests/unit/telemetry/trace_scene.h"

namespace netsense::telemetry {
namespace {

using netsense::testing::opened;
using netsense::testing::Recording;
using netsense::testing::replay;
using netsense::testing::TraceBytes;

TraceBytes example() {
  TraceBytes trace;
  trace.add(0, 1, opened(1, "10.0.0.2:77"))
      .add(1, 1, TracePath{.flags = kPathCongested, .rtprop_s = 1e-3F})
      .add(2, 1, TraceBlock{.action = 1, .reason = 9, .raw_bytes = 100, .coded_bytes = 70})
      .add(3, 2, TraceReceived{.codec = 1, .raw_bytes = 11, .sent_us = 5})
      .add(4, 1, TraceAcknowledged{.messages = 64})
      .add(5, 0, TraceLost{.records = 3})
      .add(6, 1, TraceClosed{})
      .add(7, 0, TraceFull{.limit_bytes = 9});
  return trace;
}

template <typename Value>
void poke(std::vector<std::byte>* bytes, size_t offset, Value value) {
  std::memcpy(bytes->data() + offset, &value, sizeof value);
}

}  // namespace

TEST_CASE("every kind of record comes back as it was written") {
  Recording found;
  replay(example().bytes(), &found);
  CHECK(found.outcome.error == TraceError::kNone);
  CHECK(found.outcome.records == 8);
  CHECK(found.outcome.position == example().bytes().size());
  CHECK(found.header.pid == 7);
  CHECK(found.header.rank == 3);
  CHECK(trace_text(found.header.host_name) == "node");
  REQUIRE(found.opened.size() == 1);
  CHECK(trace_text(found.opened[0].peer) == "10.0.0.2:77");
  CHECK(trace_text(found.opened[0].device) == "eth0");
  REQUIRE(found.paths.size() == 1);
  CHECK(found.paths[0].flags == kPathCongested);
  CHECK(found.paths[0].record.steady_ns == TraceBytes::kBegin + 1'000'000);
  REQUIRE(found.blocks.size() == 1);
  CHECK(found.blocks[0].coded_bytes == 70);
  CHECK(found.blocks[0].record.connection == 1);
  REQUIRE(found.received.size() == 1);
  CHECK(found.received[0].sent_us == 5);
  REQUIRE(found.acknowledged.size() == 1);
  CHECK(found.acknowledged[0].messages == 64);
  REQUIRE(found.lost.size() == 1);
  CHECK(found.lost[0].records == 3);
  CHECK(found.closed.size() == 1);
  REQUIRE(found.full.size() == 1);
  CHECK(found.full[0].limit_bytes == 9);
}

TEST_CASE("of a trace that is cut anywhere, what is whole is read") {
  const std::vector<std::byte> bytes = example().bytes();
  size_t last = 0;
  for (size_t length = 0; length < bytes.size(); ++length) {
    INFO(length);
    Recording found;
    replay(std::span(bytes).first(length), &found);
    const bool at_a_border = found.outcome.error == TraceError::kNone && found.outcome.position == length;
    const bool cut = found.outcome.error == TraceError::kTruncated && found.outcome.position < length + 1;
    const bool no_magic = found.outcome.error == TraceError::kForeign && length < kTraceMagic.size();
    CHECK((at_a_border || cut || no_magic));
    CHECK(found.outcome.records >= last);
    last = found.outcome.records;
  }
  CHECK(last == 7);
}

TEST_CASE("damage ends the reading where it is") {
  const size_t second = sizeof(TraceHeader) + sizeof(TraceOpened);
  std::vector<std::byte> bytes = example().bytes();
  SECTION("a length of nothing") {
    poke<uint16_t>(&bytes, second, 0);
  }
  SECTION("a length that is no multiple of 8") {
    poke<uint16_t>(&bytes, second, 57);
  }
  SECTION("too short for its kind") {
    poke<uint16_t>(&bytes, second, 48);
  }
  SECTION("a time before the trace") {
    poke<uint64_t>(&bytes, second + 8, TraceBytes::kBegin - 1);
  }
  SECTION("a time long after it") {
    poke<uint64_t>(&bytes, second + 8, UINT64_MAX);
  }
  Recording found;
  replay(bytes, &found);
  CHECK(found.outcome.error == TraceError::kDamaged);
  CHECK(found.outcome.position == second);
  CHECK(found.outcome.records == 1);
  CHECK(found.opened.size() == 1);
  CHECK(found.paths.empty());
}

TEST_CASE("a header that makes no sense is said to be what it is") {
  std::vector<std::byte> bytes = example().bytes();
  TraceError expected = TraceError::kDamaged;
  SECTION("another file") {
    bytes[0] = std::byte{'X'};
    expected = TraceError::kForeign;
  }
  SECTION("another version") {
    poke<uint32_t>(&bytes, offsetof(TraceHeader, version), kTraceVersion + 1);
    expected = TraceError::kVersion;
  }
  SECTION("short") {
    poke<uint32_t>(&bytes, offsetof(TraceHeader, header_bytes), 64);
  }
  SECTION("the far future") {
    poke<uint64_t>(&bytes, offsetof(TraceHeader, unix_ns), UINT64_MAX);
  }
  SECTION("the clock's end") {
    poke<uint64_t>(&bytes, offsetof(TraceHeader, steady_ns), UINT64_MAX);
  }
  Recording found;
  replay(bytes, &found);
  CHECK(found.outcome.error == expected);
  CHECK(found.outcome.records == 0);
}

TEST_CASE("records of a later version are skipped, and what they have more is") {
  TraceBytes trace;
  struct Later {
    TraceRecord record{.bytes = sizeof(Later), .kind = static_cast<TraceKind>(200)};
    uint64_t something = 0;
  };
  struct Longer {
    TraceRecord record{.bytes = sizeof(Longer), .kind = TraceKind::kAcknowledged};
    uint64_t messages = 5;
    uint64_t more = 6;
  };
  trace.add(1, 1, Later{}).add(2, 1, Longer{}).add(3, 1, TraceClosed{});
  Recording found;
  replay(trace.bytes(), &found);
  CHECK(found.outcome.error == TraceError::kNone);
  REQUIRE(found.acknowledged.size() == 1);
  CHECK(found.acknowledged[0].messages == 5);
  CHECK(found.closed.size() == 1);
}

TEST_CASE("numbers that are none are unknown") {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  TraceBytes trace;
  trace.add(1, 1, TracePath{.rtprop_s = -1, .rtt_s = NAN, .btlbw_bytes_per_s = kInfinite})
      .add(1, 1, TraceBlock{.raw_s = kInfinite, .fast_s = -1, .tight_s = 0.5F});
  Recording found;
  replay(trace.bytes(), &found);
  CHECK(found.paths.at(0).rtprop_s == 0);
  CHECK(found.paths.at(0).rtt_s == 0);
  CHECK(found.paths.at(0).btlbw_bytes_per_s == 0);
  CHECK(std::isnan(found.blocks.at(0).raw_s));
  CHECK(std::isnan(found.blocks.at(0).fast_s));
  CHECK(found.blocks.at(0).tight_s == 0.5F);
}

TEST_CASE("texts are fit for a terminal") {
  std::array<char, 4> text{'a', '\x1b', '\xc3', 'b'};
  CHECK(trace_text(text) == "a??b");
}

}  // namespace netsense::telemetry
