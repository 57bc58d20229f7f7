// What the statistics file says about transfers through the exported symbols.
#include <unistd.h>

#include "plugin/core/frame.h"
#include "tests/abi/environment.h"
#include "tests/catch.h"
#include "tests/loopback/bulk.h"
#include "tests/loopback/scene.h"
#include "tools/stats/reader.h"

namespace netsense::testing {
namespace {

using Counted = telemetry::Connection;
using telemetry::Direction;

constexpr size_t kBytes = kBulkBytes;
constexpr int kMessages = kBulkMessages;

// This process's only connection in that direction: both transfers used one slot after the other.
Counted look(Direction direction) {
  const stats::Host host = stats::read_host(required_variable("NETSENSE_STATS_DIR"));
  for (const telemetry::Snapshot& snapshot : host.processes) {
    if (snapshot.process.pid != static_cast<uint64_t>(::getpid())) continue;
    for (const Counted& connection : snapshot.connections) {
      if (connection.direction == direction) return connection;
    }
  }
  return {};
}

uint64_t blocks(const Counted& c) {
  return c.blocks_raw() + c.blocks_fast + c.blocks_tight + c.blocks_not_smaller + c.blocks_received_lossless;
}

}  // namespace

// Needs NETSENSE_CODEC=fast.
TEST_CASE("the statistics say what was really sent, and as what", "[.file]") {
  const Library12 net;
  transfer(net, compressible());
  const Counted sent = look(Direction::kSend);
  const Counted received = look(Direction::kReceive);
  const uint64_t all_bytes = kMessages * kBytes;
  CHECK(sent.messages == kMessages);
  CHECK(received.messages == kMessages);
  CHECK(sent.raw_bytes == all_bytes);
  CHECK(received.raw_bytes == all_bytes);
  CHECK(sent.wire_bytes < all_bytes * 95 / 100);
  CHECK(received.wire_bytes == sent.wire_bytes);
  // Each block of its own: those of the sender are those of the receiver. A block that a busy lock kept from
  // being coded went out raw.
  CHECK(blocks(sent) >= all_bytes / (size_t{128} << 10));
  CHECK(blocks(received) == blocks(sent));
  CHECK(sent.blocks_fast > sent.blocks_raw());
  CHECK(sent.blocks_tight == 0);
  CHECK(sent.blocks_not_smaller == 0);
  CHECK(received.blocks_received_lossless == sent.blocks_fast);
  CHECK(received.blocks_received_raw == sent.blocks_raw());
  CHECK(sent.code_ns > 0);
  CHECK(received.decode_ns > 0);
  CHECK(sent.state == telemetry::State::kClosed);
  CHECK(sent.device == "lo");
  CHECK(sent.peer.starts_with("127.0.0.1:"));

  // Random bytes on top: nothing of it may count as compressed.
  transfer(net, incompressible());
  const Counted then = look(Direction::kSend);
  CHECK(then.generation == sent.generation + 1);
  CHECK(then.blocks_fast == sent.blocks_fast);
  CHECK(then.blocks_not_smaller > 0);
  const uint64_t more = blocks(then) - blocks(sent);
  CHECK(then.blocks_not_smaller + (then.blocks_raw() - sent.blocks_raw()) == more);
  CHECK(then.raw_bytes == 2 * all_bytes);
  CHECK(then.wire_bytes - sent.wire_bytes == all_bytes + more * core::kFrameHeaderBytes);
}

TEST_CASE("small messages count as ineligible", "[.file]") {
  const Library12 net;
  const Ends ends(net);
  const std::vector<uint8_t> from(8, 1);
  std::vector<uint8_t> to(8);
  const Counted before = look(Direction::kSend);
  void* receiving = net.post_recv(ends.recv, &to);
  void* sending = net.post_send(ends.send, from);
  REQUIRE(net.wait(sending) == Result::kOk);
  REQUIRE(net.wait(receiving) == Result::kOk);
  const Counted after = look(Direction::kSend);
  CHECK(after.state == telemetry::State::kOpen);
  CHECK(after.blocks_ineligible == before.blocks_ineligible + 1);
  CHECK(after.wire_bytes == before.wire_bytes + 8 + core::kFrameHeaderBytes);
}

// Needs a NETSENSE_STATS_DIR that is none.
TEST_CASE("without a place for the statistics the transfer works, and the log says why", "[.nowhere]") {
  const Library12 net;
  transfer(net, compressible());
  CHECK(warned_of("there are no statistics"));
  CHECK(warned_of(required_variable("NETSENSE_STATS_DIR")));
  clear_warnings();
  transfer(net, compressible());
  CHECK_FALSE(warned_of("statistics"));
}

}  // namespace netsense::testing
