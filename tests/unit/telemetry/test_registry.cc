// Who gets which slot, and what becomes of the file.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin/telemetry/leftovers.h"
#include "plugin/telemetry/registry.h"
#include "tests/catch.h"
#include "tests/unit/telemetry/stats_scene.h"

namespace netsense::telemetry {
namespace {

using netsense::testing::empty_file;
using netsense::testing::read_bytes;
using netsense::testing::set_header;
using netsense::testing::StatsDirectory;

Identity send_to(const std::string& peer) {
  return {.direction = Direction::kSend, .peer = peer, .device = "eth0", .streams = 2, .mode = 1};
}

Snapshot look(Registry* registry) {
  Snapshot snapshot;
  REQUIRE(parse_stats(read_bytes(registry->path()), &snapshot) == ParseError::kNone);
  return snapshot;
}

Options in(const StatsDirectory& directory) {
  return {.on = true, .directory = directory.path().string()};
}

}  // namespace

TEST_CASE("a connection is shown with who it is, and how it ended") {
  const StatsDirectory directory;
  Registry registry;
  auto counters = registry.open(in(directory), send_to("10.0.0.2:1234"));
  Connection connection = look(&registry).connections.at(0);
  CHECK(connection.peer == "10.0.0.2:1234");
  CHECK(connection.device == "eth0");
  CHECK(connection.direction == Direction::kSend);
  CHECK(connection.state == State::kOpen);
  CHECK(connection.streams == 2);
  CHECK(connection.opened_unix_ns != 0);
  const bool fails = GENERATE(false, true);
  if (fails) counters->failed("the peer died");
  counters.reset();
  connection = look(&registry).connections.at(0);
  CHECK(connection.state == (fails ? State::kFailed : State::kClosed));
  CHECK(connection.error == (fails ? "the peer died" : ""));
  CHECK(connection.errors == (fails ? 1 : 0));
  CHECK(connection.closed_unix_ns >= connection.opened_unix_ns);
}

TEST_CASE("a slot is used again only by its like, and goes on counting") {
  const StatsDirectory directory;
  Registry registry;
  registry.open(in(directory), send_to("10.0.0.2:1"))->block(100, 200);
  registry.open(in(directory), send_to("10.0.0.3:1"))->block(1, 1);
  auto again = registry.open(in(directory), send_to("10.0.0.2:2"));
  auto beside = registry.open(in(directory), send_to("10.0.0.2:3"));
  again->block(10, 20);
  const auto connections = look(&registry).connections;
  REQUIRE(connections.size() == 3);
  CHECK(connections[0].peer == "10.0.0.2:2");
  CHECK(connections[0].generation == 2);
  CHECK(connections[0].raw_bytes == 110);
  CHECK(connections[0].wire_bytes == 220);
  CHECK(connections[1].raw_bytes == 1);
  CHECK(connections[2].peer == "10.0.0.2:3");
  CHECK(connections[2].generation == 1);
}

TEST_CASE("when all slots are taken the rest is counted together") {
  const StatsDirectory directory;
  Registry registry;
  std::vector<std::unique_ptr<Counters>> held;
  for (size_t i = 0; i < kOwnSlots + 3; ++i) {
    held.push_back(registry.open(in(directory), send_to("10.0.0.2:1")));
    held.back()->message();
  }
  auto receiver = registry.open(in(directory),
                                {.direction = Direction::kReceive, .peer = "10.0.0.2:1", .device = "eth0"});
  receiver->message();
  held.erase(held.end() - 2);
  const auto connections = look(&registry).connections;
  REQUIRE(connections.size() == kSlots);
  CHECK(connections[kOwnSlots - 1].messages == 1);
  CHECK_FALSE(connections[kOwnSlots - 1].overflow);
  CHECK(connections[kOwnSlots].overflow);
  CHECK(connections[kOwnSlots].messages == 3);
  CHECK(connections[kOwnSlots].state == State::kOpen);
  CHECK(connections[kOwnSlots + 1].messages == 1);
  CHECK(connections[kOwnSlots + 1].direction == Direction::kReceive);
}

TEST_CASE("where files may not be so large, all is counted in private memory") {
  const StatsDirectory directory;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  {
    Registry registry;
    registry.open(in(directory), send_to("10.0.0.2:1"))->block(1, 1);
    CHECK(registry.path().empty());
  }
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(directory.files().empty());
}

TEST_CASE("the file is for its user alone, and goes with its maker") {
  const StatsDirectory directory;
  {
    Registry registry;
    auto counters = registry.open(in(directory), send_to("10.0.0.2:1"));
    struct stat found {};
    REQUIRE(::stat(registry.path().c_str(), &found) == 0);
    CHECK((found.st_mode & 0777) == 0600);
    CHECK(static_cast<size_t>(found.st_size) == kFileBytes);
    counters.reset();
    CHECK(directory.files().size() == 1);
  }
  CHECK(directory.files().empty());
}

TEST_CASE("without a file everything is counted in private memory") {
  const StatsDirectory directory;
  Registry registry;
  const bool on = GENERATE(false, true);
  auto counters =
      registry.open({.on = on, .directory = (directory.path() / "missing").string()}, send_to("10.0.0.2:1"));
  counters->block(1, 1);
  counters->failed("no matter");
  CHECK(registry.path().empty());
  CHECK(directory.files().empty());
}

TEST_CASE("what a forked child counts is not its parent's") {
  const StatsDirectory directory;
  Registry& registry = Registry::of_process();
  auto counters = registry.open(in(directory), send_to("10.0.0.2:1"));
  counters->message();
  const std::string path = registry.path();
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // The connection it has inherited, that one's end, and one of its own.
    counters->message();
    counters->failed("in the child");
    counters.reset();
    auto own = registry.open(in(directory), send_to("10.0.0.9:1"));
    const bool good = registry.path() != path && !registry.path().empty();
    ::_exit(good ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  const Connection connection = look(&registry).connections.at(0);
  CHECK(connection.messages == 1);
  CHECK(connection.errors == 0);
  CHECK(connection.state == State::kOpen);
  // The child ended without cleaning up.
  CHECK(directory.files().size() == 2);
  CHECK(remove_leftovers(directory.path().string()) == 1);
  CHECK(directory.files() == std::vector<std::string>{std::filesystem::path(path).filename().string()});
  counters.reset();
}

TEST_CASE("only leftovers are removed") {
  const StatsDirectory directory;
  std::vector<std::byte> file = empty_file();
  directory.write("netsense.1.alive", file);
  set_header(&file, offsetof(Header, pid), (uint64_t{1} << 30) + 1);
  directory.write("netsense.2.ended", file);
  directory.write("another.2.ended", file);
  directory.write("netsense.3.foreign", {std::byte{1}, std::byte{2}});
  std::filesystem::create_symlink(directory.path() / "another.2.ended", directory.path() / "netsense.4.link");
  std::filesystem::create_directory(directory.path() / "netsense.5.directory");
  CHECK(remove_leftovers(directory.path().string()) == 1);
  auto files = directory.files();
  std::ranges::sort(files);
  CHECK(files == std::vector<std::string>{"another.2.ended", "netsense.1.alive", "netsense.3.foreign",
                                          "netsense.4.link", "netsense.5.directory"});
  CHECK(remove_leftovers((directory.path() / "missing").string()) == 0);
}

TEST_CASE("a peer's port is no part of its host") {
  CHECK(host_of("10.0.0.1:80") == "10.0.0.1");
  CHECK(host_of("[fe80::1%eth0]:80") == "[fe80::1%eth0]");
  CHECK(host_of("others") == "others");
}

}  // namespace netsense::telemetry
