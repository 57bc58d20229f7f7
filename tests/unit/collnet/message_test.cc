// The bytes that ranks exchange: what is written is read again, and nothing else is taken for it.
#include <vector>

#include "plugin/collnet/hello.h"
#include "plugin/collnet/part.h"
#include "tests/catch.h"

namespace netsense::collnet {
namespace {

constexpr PartHeader kHeader{.kind = PartKind::kLossy,
                             .call = 0x01020304,
                             .print = 0xfedcba98,
                             .piece = 7,
                             .elements = 300,
                             .bytes = 5};

std::vector<std::byte> one_part() {
  std::vector<std::byte> bytes(kPartHeaderBytes + kHeader.bytes, std::byte{0x5a});
  write_part_header(kHeader, bytes.data());
  return bytes;
}

}  // namespace

TEST_CASE("parts come out as they went in, one after the other") {
  std::vector<std::byte> bytes = one_part();
  const std::vector<std::byte> second = bytes;
  bytes.insert(bytes.end(), second.begin(), second.end());
  std::span<const std::byte> rest(bytes);
  for (int i = 0; i < 2; ++i) {
    const auto part = take_part(&rest);
    REQUIRE(part);
    CHECK(part->header == kHeader);
    CHECK(part->body.size() == kHeader.bytes);
    CHECK(part->body[4] == std::byte{0x5a});
  }
  CHECK(rest.empty());
}

TEST_CASE("a part that is cut, foreign or of an unknown kind is refused") {
  const std::vector<std::byte> good = one_part();
  for (size_t size = 0; size < good.size(); ++size) {
    std::span<const std::byte> rest(good.data(), size);
    CHECK_FALSE(take_part(&rest));
  }
  for (const size_t place : {0, 1, 2, 3}) {
    std::vector<std::byte> bad = good;
    bad[place] ^= std::byte{0x82};
    std::span<const std::byte> rest(bad);
    CHECK_FALSE(take_part(&rest));
  }
}

TEST_CASE("a hello tells who speaks and by which settings") {
  const Hello hello{.rank = 3, .ranks = 8, .phase = 1, .fingerprint = 0xabcdef01, .text = "mode=adaptive"};
  const HelloBytes bytes = write_hello(hello);
  const auto read = read_hello(bytes);
  REQUIRE(read);
  CHECK(read->rank == 3);
  CHECK(read->ranks == 8);
  CHECK(read->phase == 1);
  CHECK(read->fingerprint == 0xabcdef01);
  CHECK(read->text == "mode=adaptive");
}

TEST_CASE("a hello that is too short, too long or foreign is refused, and its text cannot upset a log") {
  HelloBytes bytes = write_hello({.text = std::string("a\nb\x1b[31m") + std::string(500, 'x')});
  const auto read = read_hello(bytes);
  REQUIRE(read);
  CHECK(read->text.substr(0, 8) == "a?b?[31m");
  CHECK(read->text.size() == kHelloText);
  CHECK_FALSE(read_hello(std::span(bytes).first(kHelloBytes - 1)));
  CHECK_FALSE(read_hello({}));
  for (const size_t place : {0, 4}) {
    HelloBytes bad = bytes;
    bad[place] ^= std::byte{1};
    CHECK_FALSE(read_hello(bad));
  }
}

}  // namespace netsense::collnet
