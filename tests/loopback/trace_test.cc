// What NETSENSE_TRACE says about transfers through the exported symbols.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "kernels/format.h"
#include "plugin/adapt/action.h"
#include "plugin/core/frame.h"
#include "plugin/telemetry/layout.h"
#include "tests/abi/environment.h"
#include "tests/catch.h"
#include "tests/loopback/bulk.h"
#include "tests/loopback/scene.h"
#include "tests/unit/telemetry/trace_scene.h"
#include "tools/report/trace_set.h"

namespace netsense::testing {
namespace {

using adapt::Action;
using adapt::Reason;

constexpr size_t kAllBytes = kBulkMessages * kBulkBytes;

// The trace of this process, which is complete once no connection is open.
void look(Recording* found) {
  const std::string ending = "." + std::to_string(::getpid()) + ".trace";
  for (const auto& entry : std::filesystem::directory_iterator(required_variable("NETSENSE_TRACE"))) {
    if (!entry.path().string().ends_with(ending)) continue;
    replay(report::file_source(entry.path().string()).read(), found);
    std::filesystem::remove(entry.path());
  }
  REQUIRE(found->outcome.error == telemetry::TraceError::kNone);
  REQUIRE(found->outcome.records > 0);
}

template <typename Records, typename Value>
uint64_t sum(const Records& records, Value value) {
  uint64_t total = 0;
  for (const auto& record : records) total += record.*value;
  return total;
}

}  // namespace

// Needs NETSENSE_CODEC=fast.
TEST_CASE("every block's decision is in the trace, and what came of it", "[.file]") {
  {
    const Library12 net;
    transfer(net, compressible());
  }
  Recording found;
  look(&found);
  REQUIRE(found.opened.size() == 2);
  const auto sender = std::ranges::find(found.opened, static_cast<uint8_t>(telemetry::Direction::kSend),
                                        &telemetry::TraceOpened::direction);
  REQUIRE(sender != found.opened.end());
  CHECK(telemetry::trace_text(sender->peer).starts_with("127.0.0.1:"));
  CHECK(telemetry::trace_text(sender->device) == "lo");
  CHECK(sender->coding == 1);
  CHECK(sum(found.blocks, &telemetry::TraceBlock::raw_bytes) == kAllBytes);
  CHECK(sum(found.received, &telemetry::TraceReceived::raw_bytes) == kAllBytes);
  CHECK(sum(found.blocks, &telemetry::TraceBlock::coded_bytes) ==
        sum(found.received, &telemetry::TraceReceived::coded_bytes));
  CHECK(sum(found.blocks, &telemetry::TraceBlock::coded_bytes) < kAllBytes * 95 / 100);
  CHECK(found.blocks.size() == found.received.size());
  size_t forced = 0;
  for (const telemetry::TraceBlock& block : found.blocks) {
    CHECK(block.record.connection == sender->record.connection);
    CHECK(block.record.stream < sender->streams);
    CHECK(block.message < kBulkMessages);
    CHECK(block.message_bytes == kBulkBytes);
    const auto reason = static_cast<Reason>(block.reason);
    // A block that a busy lock kept from being coded went out raw.
    CHECK((reason == Reason::kForced || reason == Reason::kBusy));
    CHECK(block.action == static_cast<uint8_t>(reason == Reason::kForced ? Action::kFast : Action::kRaw));
    CHECK((block.coded_bytes < block.raw_bytes) == (reason == Reason::kForced));
    CHECK((block.took_ns > 0) == (reason == Reason::kForced));
    if (reason != Reason::kForced) continue;
    ++forced;
    CHECK(block.data_type == static_cast<uint8_t>(kernels::DType::kF32));
  }
  CHECK(forced > found.blocks.size() / 2);
  const auto decoded = static_cast<size_t>(std::ranges::count(
      found.received, static_cast<uint8_t>(core::Codec::kLossless), &telemetry::TraceReceived::codec));
  CHECK(decoded == forced);
  CHECK(found.paths.size() > 0);
  CHECK(found.lost.empty());
  CHECK(found.closed.size() == 2);
}

TEST_CASE("blocks that do not shrink, and messages that are not to be coded, are in the trace as such",
          "[.raw]") {
  {
    const Library12 net;
    transfer(net, incompressible());
    const Ends ends(net);
    const std::vector<uint8_t> from(8, 1);
    std::vector<uint8_t> to(8);
    void* receiving = net.post_recv(ends.recv, &to);
    void* sending = net.post_send(ends.send, from);
    REQUIRE(net.wait(sending) == Result::kOk);
    REQUIRE(net.wait(receiving) == Result::kOk);
  }
  Recording found;
  look(&found);
  CHECK(sum(found.blocks, &telemetry::TraceBlock::raw_bytes) == kAllBytes + 8);
  CHECK(sum(found.blocks, &telemetry::TraceBlock::coded_bytes) == kAllBytes + 8);
  size_t in_vain = 0;
  size_t small = 0;
  for (const telemetry::TraceBlock& block : found.blocks) {
    in_vain += block.action == static_cast<uint8_t>(Action::kFast) ? 1 : 0;
    small += block.reason == static_cast<uint8_t>(Reason::kTooSmall) ? 1 : 0;
  }
  CHECK(in_vain > found.blocks.size() / 2);
  CHECK(small == 1);
}

// Needs a NETSENSE_TRACE that cannot be written.
TEST_CASE("without a place for the trace the transfer works, and the log says why", "[.nowhere]") {
  const Library12 net;
  transfer(net, compressible());
  CHECK(warned_of("there is no trace in " + required_variable("NETSENSE_TRACE")));
  CHECK(warned_of("No such file or directory"));
  clear_warnings();
  transfer(net, compressible());
  CHECK_FALSE(warned_of("trace"));
}

}  // namespace netsense::testing
