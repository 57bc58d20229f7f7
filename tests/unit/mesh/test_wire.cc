#include <limits>

#include "tests/catch.h"
#include "tools/probe/wire.h"

using namespace netsense::mesh;

namespace {

std::vector<Message> one_of_each() {
  Cell cell;
  cell.rtt_min = 1e-6;
  cell.all_rtt_p99 = 0.25;
  return {Hello{.token = 0x0123456789abcdef, .rank = 7, .bulk = true},
          Ping{.number = 5, .sent_us = 0xffffffff},
          Pong{.number = 6, .variation_ns = 1ULL << 40},
          Finish{},
          Result{.bytes_per_second = 125'000'000},
          Announcement{.host = {"node-1", "eth0", "fe80::1%eth0"}, .port = 4711},
          cell};
}

}  // namespace

TEST_CASE("every message comes back as it was written") {
  for (const Message& message : one_of_each()) {
    const auto bytes = encode(message);
    const auto parsed = parse_message(bytes);
    REQUIRE(parsed);
    CHECK(parsed->index() == message.index());
    CHECK(encode(*parsed) == bytes);
  }
  const auto hello = std::get<Hello>(*parse_message(encode(Hello{.token = 9, .rank = 7, .bulk = true})));
  CHECK((hello.token == 9 && hello.rank == 7 && hello.bulk));
  const auto there = std::get<Announcement>(*parse_message(encode(one_of_each()[5])));
  CHECK((there.host.name == "node-1" && there.host.address == "fe80::1%eth0" && there.port == 4711));
}

TEST_CASE("bytes cut short, too many, or of another program are no message") {
  for (const Message& message : one_of_each()) {
    auto bytes = encode(message);
    for (size_t length = 0; length < bytes.size(); ++length)
      CHECK_FALSE(parse_message(std::span(bytes).first(length)));
    for (size_t at = 0; at < 6; ++at) {  // magic and version
      auto damaged = bytes;
      damaged[at] ^= std::byte{0x10};
      CHECK_FALSE(parse_message(damaged));
    }
    bytes.push_back(std::byte{0});
    CHECK_FALSE(parse_message(bytes));
  }
  auto unknown = encode(Finish{});
  unknown[6] = std::byte{200};
  CHECK_FALSE(parse_message(unknown));
}

TEST_CASE("values that cannot be are refused") {
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0}) {
    Cell cell;
    cell.btlbw = value;
    CHECK_FALSE(parse_message(encode(cell)));
  }
  CHECK_FALSE(parse_message(encode(Announcement{.host = {"a\x1b[2J", "eth0", "::1"}, .port = 1})));
  CHECK_FALSE(parse_message(encode(Announcement{.host = {"a", "eth0", "::1"}, .port = 0})));
}
