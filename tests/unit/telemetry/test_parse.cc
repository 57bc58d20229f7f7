// The parser of statistics files, on good ones, cut ones, foreign ones, and ones that are being changed.
#include <unistd.h>

#include <cstring>

#include "plugin/telemetry/owner.h"
#include "tests/catch.h"
#include "tests/unit/telemetry/stats_scene.h"

namespace netsense::telemetry {
namespace {

using netsense::testing::empty_file;
using netsense::testing::set_header;
using netsense::testing::set_slot;

void use_slot(std::vector<std::byte>* file, size_t slot) {
  set_slot(file, slot, offsetof(Slot, direction), 1);
  set_slot(file, slot, offsetof(Slot, state), 1);
}

}  // namespace

TEST_CASE("a fresh file names its process and has no connections") {
  Snapshot snapshot;
  REQUIRE(parse_stats(empty_file(), &snapshot) == ParseError::kNone);
  CHECK(snapshot.process.pid == static_cast<uint64_t>(::getpid()));
  CHECK(snapshot.process.start_ticks == process_start_ticks(static_cast<uint64_t>(::getpid())));
  CHECK(snapshot.process.start_ticks != 0);
  CHECK(snapshot.process.pid_namespace == own_pid_namespace());
  CHECK_FALSE(snapshot.process.plugin_version.empty());
  CHECK_FALSE(snapshot.process.host_name.empty());
  CHECK(snapshot.connections.empty());
}

TEST_CASE("what is no statistics file of this version is refused, by its reason") {
  Snapshot snapshot;
  const std::vector<std::byte> good = empty_file();
  const auto parse = [&](const std::vector<std::byte>& bytes) { return parse_stats(bytes, &snapshot); };
  CHECK(parse({}) == ParseError::kForeign);
  CHECK(parse(std::vector<std::byte>(kFileBytes)) == ParseError::kForeign);
  for (const size_t size : {size_t{1}, sizeof(Header) - 1}) {
    CHECK(parse({good.begin(), good.begin() + static_cast<ptrdiff_t>(size)}) == ParseError::kForeign);
  }
  for (const size_t size : {sizeof(Header), sizeof(Header) + 1, kFileBytes - 1}) {
    CHECK(parse({good.begin(), good.begin() + static_cast<ptrdiff_t>(size)}) == ParseError::kDamaged);
  }
  std::vector<std::byte> longer = good;
  longer.push_back({});
  CHECK(parse(longer) == ParseError::kDamaged);
  std::vector<std::byte> newer = good;
  set_header(&newer, offsetof(Header, layout_version), kLayoutVersion + 1);
  CHECK(parse(newer) == ParseError::kVersion);
  for (const size_t offset :
       {offsetof(Header, header_bytes), offsetof(Header, slot_bytes), offsetof(Header, slots)}) {
    std::vector<std::byte> wrong = good;
    set_header(&wrong, offset, ~uint64_t{0});
    CHECK(parse(wrong) == ParseError::kDamaged);
  }
}

TEST_CASE("a slot in the middle of a change is left out and counted, the others are read") {
  std::vector<std::byte> file = empty_file();
  use_slot(&file, 3);
  use_slot(&file, 7);
  set_slot(&file, 7, offsetof(Slot, wire_bytes), 12345);
  set_slot(&file, 3, offsetof(Slot, revision_begun), 2);
  set_slot(&file, 3, offsetof(Slot, revision_done), 1);
  Snapshot snapshot;
  REQUIRE(parse_stats(file, &snapshot) == ParseError::kNone);
  CHECK(snapshot.torn == 1);
  REQUIRE(snapshot.connections.size() == 1);
  CHECK(snapshot.connections[0].slot == 7);
  CHECK(snapshot.connections[0].wire_bytes == 12345);
}

TEST_CASE("values that no writer writes make a slot unused, and texts are safe to print") {
  std::vector<std::byte> file = empty_file();
  use_slot(&file, 0);
  set_slot(&file, 0, offsetof(Slot, direction), 3);
  use_slot(&file, 1);
  set_slot(&file, 1, offsetof(Slot, state), 99);
  use_slot(&file, 2);
  // An escape sequence, and no zero at the end of any text.
  for (size_t at = offsetof(Slot, peer); at < offsetof(Slot, revision_begun); at += sizeof(Word)) {
    set_slot(&file, 2, at, 0x4a325b1b4a325b1b);
  }
  Snapshot snapshot;
  REQUIRE(parse_stats(file, &snapshot) == ParseError::kNone);
  REQUIRE(snapshot.connections.size() == 1);
  CHECK(snapshot.connections[0].peer.size() == sizeof(Slot::peer));
  CHECK(snapshot.connections[0].peer.substr(0, 8) == "?[2J?[2J");
}

TEST_CASE("a process has ended only when that is sure") {
  Snapshot snapshot;
  REQUIRE(parse_stats(empty_file(), &snapshot) == ParseError::kNone);
  ProcessInfo process = snapshot.process;
  CHECK_FALSE(has_ended(process));
  SECTION("its number is another process's by now") {
    process.start_ticks -= 1;
    CHECK(has_ended(process));
    SECTION("but it is of another pid namespace") {
      process.pid_namespace += 1;
      CHECK_FALSE(has_ended(process));
    }
  }
  SECTION("nobody has its number") {
    process.pid = (uint64_t{1} << 30) + 1;  // beyond what Linux gives out
    CHECK(has_ended(process));
  }
  SECTION("numbers that cannot be") {
    process.pid = GENERATE(uint64_t{0}, ~uint64_t{0}, uint64_t{1} << 32);
    CHECK_FALSE(has_ended(process));
  }
}

TEST_CASE("the start is found behind any program name") {
  const std::string rest = " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20 21";
  CHECK(parse_start_ticks("42 (python)" + rest) == 4711);
  CHECK(parse_start_ticks("42 (a) b (c) )" + rest) == 4711);
  CHECK(parse_start_ticks("42 (python) S 1 2") == 0);
  CHECK(parse_start_ticks("42") == 0);
  CHECK(parse_start_ticks("") == 0);
}

}  // namespace netsense::telemetry
