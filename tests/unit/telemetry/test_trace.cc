// How a trace comes into its file.
#include "plugin/telemetry/trace.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "plugin/telemetry/trace_path.h"
#include "tests/catch.h"
#include "tests/unit/telemetry/stats_scene.h"
#include "tests/unit/telemetry/trace_scene.h"

namespace netsense::telemetry {
namespace {

using netsense::testing::read_bytes;
using netsense::testing::Recording;
using netsense::testing::replay;
using netsense::testing::StatsDirectory;
using Clock = std::chrono::steady_clock;

constexpr size_t kPlenty = size_t{64} << 20;

TraceOptions in(const StatsDirectory& directory, const std::string& name = "a.trace",
                size_t limit = kPlenty) {
  return {.path = (directory.path() / name).string(), .limit_bytes = limit, .mode = 1, .codec = 2};
}

const TracedConnection kPeer{.direction = Direction::kSend,
                             .peer = "10.0.0.2:99",
                             .device = "eth1",
                             .streams = 4,
                             .coding = true,
                             .block_bytes = 4096,
                             .peer_block_bytes = 8192};

void put_block(const ConnectionTrace& trace, uint32_t message) {
  if (trace.on()) trace.put(Clock::now(), 1, TraceBlock{.message = message, .raw_bytes = 10});
}

void look(const std::filesystem::path& path, Recording* found) {
  replay(read_bytes(path), found);
  REQUIRE(found->outcome.error == TraceError::kNone);
}

}  // namespace

TEST_CASE("what is put is in the file when the last connection is closed") {
  const StatsDirectory directory;
  ::setenv("RANK", "12", 1);
  Trace trace(in(directory));
  {
    const ConnectionTrace first = trace.open(kPeer);
    const ConnectionTrace second = trace.open(TracedConnection{});
    REQUIRE(first.on());
    put_block(first, 1);
    put_block(second, 2);
    first.put(Clock::now(), 0, TraceAcknowledged{.messages = 7});
  }
  ::unsetenv("RANK");
  Recording found;
  look(directory.path() / "a.trace", &found);
  CHECK(found.header.pid == static_cast<uint64_t>(::getpid()));
  CHECK(found.header.rank == 12);
  CHECK(found.header.mode == 1);
  CHECK(found.header.codec == 2);
  REQUIRE(found.opened.size() == 2);
  CHECK(found.opened[0].record.connection == 1);
  CHECK(found.opened[0].direction == static_cast<uint8_t>(Direction::kSend));
  CHECK(trace_text(found.opened[0].peer) == "10.0.0.2:99");
  CHECK(trace_text(found.opened[0].device) == "eth1");
  CHECK(found.opened[0].streams == 4);
  CHECK(found.opened[0].coding == 1);
  CHECK(found.opened[0].block_bytes == 4096);
  CHECK(found.opened[0].peer_block_bytes == 8192);
  REQUIRE(found.blocks.size() == 2);
  CHECK(found.blocks[0].message == 1);
  CHECK(found.blocks[0].record.connection == 1);
  CHECK(found.blocks[0].record.stream == 1);
  CHECK(found.blocks[1].record.connection == 2);
  CHECK(found.acknowledged.size() == 1);
  CHECK(found.closed.size() == 2);
  CHECK(found.lost.empty());
  struct stat file {};
  REQUIRE(::stat((directory.path() / "a.trace").c_str(), &file) == 0);
  CHECK((file.st_mode & 0777) == 0600);
}

TEST_CASE("connections after a pause go on in the same file") {
  const StatsDirectory directory;
  Trace trace(in(directory));
  for (uint32_t i = 0; i < 3; ++i) put_block(trace.open(kPeer), i);
  Recording found;
  look(directory.path() / "a.trace", &found);
  CHECK(found.blocks.size() == 3);
  CHECK(found.opened.back().record.connection == 3);
}

TEST_CASE("records of many threads all arrive, each whole") {
  const StatsDirectory directory;
  Trace trace(in(directory));
  constexpr uint32_t kThreads = 4;
  constexpr uint32_t kEach = 5000;  // together fewer than fit
  {
    std::vector<std::thread> threads;
    const ConnectionTrace shared = trace.open(kPeer);
    for (uint32_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&shared, t] {
        for (uint32_t i = 0; i < kEach; ++i) put_block(shared, t * kEach + i);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  Recording found;
  look(directory.path() / "a.trace", &found);
  CHECK(found.lost.empty());
  std::vector<bool> seen(kThreads * kEach);
  for (const TraceBlock& block : found.blocks) {
    REQUIRE(block.message < seen.size());
    REQUIRE(block.raw_bytes == 10);
    seen[block.message] = true;
  }
  CHECK(found.blocks.size() == seen.size());
  CHECK(std::ranges::all_of(seen, [](bool s) { return s; }));
}

TEST_CASE("a full ring takes no more, and counts what it did not take") {
  TraceRing ring(4);
  for (uint32_t i = 0; i < 7; ++i) ring.put(TraceBlock{.message = i});
  CHECK(ring.lost() == 3);
  std::array<std::byte, TraceRing::kLargest> bytes;
  for (uint32_t i = 0; i < 4; ++i) {
    REQUIRE(ring.take(bytes.data()));
    TraceBlock block;
    std::memcpy(&block, bytes.data(), sizeof block);
    CHECK(block.message == i);
  }
  CHECK_FALSE(ring.take(bytes.data()));
  // There is room again, round after round.
  for (uint32_t i = 0; i < 20; ++i) {
    ring.put(TraceClosed{});
    REQUIRE(ring.take(bytes.data()));
  }
  CHECK(ring.lost() == 3);
}

TEST_CASE("what was lost is in the trace as a number") {
  const StatsDirectory directory;
  Trace trace(in(directory));
  constexpr size_t kPut = 300'000;  // the writer looks only now and then
  {
    const ConnectionTrace connection = trace.open(kPeer);
    for (uint32_t i = 0; i < kPut; ++i) put_block(connection, i);
  }
  Recording found;
  look(directory.path() / "a.trace", &found);
  uint64_t lost = 0;
  for (const TraceLost& record : found.lost) lost += record.records;
  CHECK(found.blocks.size() + lost == kPut);
}

TEST_CASE("a trace ends at its limit and says so") {
  const StatsDirectory directory;
  constexpr size_t kLimit = 4096;
  Trace trace(in(directory, "a.trace", kLimit));
  {
    const ConnectionTrace connection = trace.open(kPeer);
    for (uint32_t i = 0; i < 1000; ++i) put_block(connection, i);
    // Not with the last connection only: the writer has looked by then.
    const auto patience = Clock::now() + std::chrono::seconds(60);
    while (connection.on() && Clock::now() < patience) std::this_thread::yield();
    CHECK_FALSE(connection.on());
    CHECK_FALSE(trace.open(kPeer).on());
  }
  Recording found;
  look(directory.path() / "a.trace", &found);
  REQUIRE(found.full.size() == 1);
  CHECK(found.full[0].limit_bytes == kLimit);
  CHECK(std::filesystem::file_size(directory.path() / "a.trace") <= kLimit);
  CHECK(std::filesystem::file_size(directory.path() / "a.trace") > kLimit - 64);
  CHECK(found.closed.empty());
}

TEST_CASE("an earlier trace is overwritten, another file is not") {
  const StatsDirectory directory;
  {
    Trace trace(in(directory));
    const ConnectionTrace connection = trace.open(kPeer);
    for (uint32_t i = 0; i < 100; ++i) put_block(connection, i);
  }
  {
    Trace trace(in(directory));
    put_block(trace.open(kPeer), 7);
  }
  Recording found;
  look(directory.path() / "a.trace", &found);
  CHECK(found.blocks.size() == 1);

  const std::vector<std::byte> precious{std::byte{1}, std::byte{2}};
  directory.write("model.bin", precious);
  Trace wrong(in(directory, "model.bin"));
  CHECK_FALSE(wrong.open(kPeer).on());
  CHECK(read_bytes(directory.path() / "model.bin") == precious);
}

TEST_CASE("what is no place for a trace leaves everything as it was") {
  const StatsDirectory directory;
  std::string name = GENERATE("missing/a.trace", "pipe", "link");
  if (name == "pipe") REQUIRE(::mkfifo((directory.path() / name).c_str(), 0600) == 0);
  if (name == "link")
    std::filesystem::create_symlink(directory.path() / "elsewhere", directory.path() / name);
  Trace trace(in(directory, name));
  const ConnectionTrace connection = trace.open(kPeer);
  CHECK_FALSE(connection.on());
  put_block(connection, 1);
  CHECK_FALSE(std::filesystem::exists(directory.path() / "elsewhere"));
}

TEST_CASE("a file that another writes is left to it") {
  const StatsDirectory directory;
  Trace trace(in(directory));
  Trace other(in(directory));
  {
    const ConnectionTrace connection = trace.open(kPeer);
    CHECK_FALSE(other.open(kPeer).on());
    put_block(connection, 1);
  }
  Recording found;
  look(directory.path() / "a.trace", &found);
  CHECK(found.blocks.size() == 1);
}

TEST_CASE("no record of a connection stands before its opening or behind its end") {
  constexpr int kConnections = 4000;
  const StatsDirectory directory;
  {
    Trace trace(in(directory, "a.trace"));
    // Others keep the writer at work while connections come and go.
    const ConnectionTrace busy = trace.open(kPeer);
    std::atomic<bool> done{false};
    std::thread other([&] {
      while (!done.load()) {
        for (int i = 0; i < 200; ++i) put_block(busy, 1);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
    // Slowly enough for the ring: what comes while the writer takes records has to find room.
    for (int i = 0; i < kConnections; ++i) {
      put_block(trace.open(kPeer), 1);
      std::this_thread::sleep_for(std::chrono::microseconds(10));
    }
    done.store(true);
    other.join();
  }
  struct Order : TraceVisitor {
    void on_opened(const TraceOpened& opened) override { open.insert(opened.record.connection); }
    void on_block(const TraceBlock& block) override {
      astray += open.contains(block.record.connection) ? 0 : 1;
    }
    void on_closed(const TraceClosed& closed) override { open.erase(closed.record.connection); }
    std::set<uint32_t> open;
    int astray = 0;
  };
  Order order;
  TraceHeader header;
  const TraceOutcome outcome =
      parse_trace(netsense::testing::read_bytes(directory.path() / "a.trace"), &header, &order);
  CHECK(outcome.error == TraceError::kNone);
  CHECK(outcome.records >= 2 * kConnections);
  CHECK(order.astray == 0);
}

// Apart: the child starts a thread, for which no sanitizer prepares it.
TEST_CASE("a forked child writes to a file of its own", "[.fork]") {
  const StatsDirectory directory;
  Trace trace(in(directory, "%p.trace"));
  {
    const ConnectionTrace inherited = trace.open(kPeer);
    put_block(inherited, 1);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      put_block(inherited, 2);
      inherited.~ConnectionTrace();
      { put_block(trace.open(kPeer), 3); }
      ::_exit(0);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
    Recording its;
    look(directory.path() / (std::to_string(child) + ".trace"), &its);
    REQUIRE(its.blocks.size() == 1);
    CHECK(its.blocks[0].message == 3);
    CHECK(its.header.pid == static_cast<uint64_t>(child));
    put_block(inherited, 4);
  }
  Recording ours;
  look(directory.path() / (std::to_string(::getpid()) + ".trace"), &ours);
  REQUIRE(ours.blocks.size() == 2);
  CHECK(ours.blocks[0].message == 1);
  CHECK(ours.blocks[1].message == 4);
  CHECK(ours.opened.size() == 1);
  CHECK(ours.closed.size() == 1);
}

TEST_CASE("names of trace files") {
  const StatsDirectory directory;
  CHECK(trace_path("/a/b.trace", "node1", 42) == "/a/b.trace");
  CHECK(trace_path("/a/%h-%p.trace", "node1", 42) == "/a/node1-42.trace");
  CHECK(trace_path("/a/%%p%x%", "node1", 42) == "/a/%p%x%");
  CHECK(trace_path("/missing/%p/", "node1", 42) == "/missing/42/netsense.node1.42.trace");
  const std::string path = directory.path().string();
  CHECK(trace_path(path, "node1", 42) == path + "/netsense.node1.42.trace");
  CHECK(trace_path(path + "/", "node1", 42) == path + "/netsense.node1.42.trace");
}

}  // namespace netsense::telemetry
