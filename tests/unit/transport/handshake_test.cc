// The two handshake machines talking to each other: they agree, or say what is wrong.
#include "plugin/transport/tcp/handshake.h"

#include <vector>

#include "plugin/transport/tcp/random.h"
#include "tests/catch.h"

namespace netsense::tcp {
namespace {

const Secret kSecret{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

Hello hello() {
  return {.connection = random_bytes<sizeof(ConnectionId)>(),
          .stream = 2,
          .streams = 4,
          .capabilities = {.block_bytes = 131072, .codecs = 1}};
}

struct Pair {
  explicit Pair(const Secret& server_secret = kSecret, const Hello& greeting = hello())
      : client(kSecret, greeting, random_bytes<handshake::kNonceBytes>()),
        server(server_secret, {.block_bytes = 65536, .codecs = 1}, random_bytes<handshake::kNonceBytes>()) {}

  // Carries messages both ways until nobody has anything to say.
  void run() {
    while (step()) {
    }
  }

  bool step() {
    const auto to_server = client.take_output();
    if (!to_server.empty()) server.feed(to_server);
    const auto to_client = server.take_output();
    if (!to_client.empty()) client.feed(to_client);
    return !to_server.empty() || !to_client.empty();
  }

  ClientHandshake client;
  ServerHandshake server;
};

}  // namespace

TEST_CASE("two sides that share the secret agree and know each other's numbers") {
  const Hello greeting = hello();
  Pair pair(kSecret, greeting);
  pair.run();
  REQUIRE(pair.client.done());
  REQUIRE(pair.server.done());
  CHECK(pair.server.hello().stream == 2);
  CHECK(pair.server.hello().streams == 4);
  CHECK(pair.server.hello().connection == greeting.connection);
  CHECK(pair.server.peer_capabilities().block_bytes == 131072);
  CHECK(pair.client.peer_capabilities().block_bytes == 65536);
}

TEST_CASE("a side with another secret is found out by the other") {
  Secret other = kSecret;
  other[5] ^= 1;
  Pair pair(other);
  pair.run();
  CHECK(pair.client.error() == HandshakeError::kSecret);
  CHECK(!pair.server.done());
}

TEST_CASE("the listening side checks the proof too") {
  Pair pair;
  pair.server.feed(pair.client.take_output());
  pair.client.feed(pair.server.take_output());
  auto proof = pair.client.take_output();
  proof.back() ^= 1;
  pair.server.feed(proof);
  CHECK(pair.server.error() == HandshakeError::kSecret);
  CHECK(pair.server.take_output().empty());
}

TEST_CASE("the listening side's own proof sent back to it is not one") {
  Pair pair;
  pair.server.feed(pair.client.take_output());
  const auto challenge = pair.server.take_output();
  std::vector<unsigned char> proof{'N', 'S', 'P', 'R', 'O', 'O', 'F', '1'};
  proof.insert(proof.end(), challenge.end() - handshake::kMacBytes, challenge.end());
  pair.server.feed(proof);
  CHECK(pair.server.error() == HandshakeError::kSecret);
}

TEST_CASE("another protocol version is named on both sides") {
  Pair pair;
  auto greeting = pair.client.take_output();
  greeting[8] = 77;
  pair.server.feed(greeting);
  CHECK(pair.server.error() == HandshakeError::kVersion);
  CHECK(pair.server.peer_version() == 77);
  CHECK(describe(HandshakeError::kVersion, 77).find("77") != std::string::npos);
  auto challenge = pair.server.take_output();
  challenge[8] = 78;
  pair.client.feed(challenge);
  CHECK(pair.client.error() == HandshakeError::kVersion);
  CHECK(pair.client.peer_version() == 78);
}

TEST_CASE("bad greetings are refused") {
  Pair pair;
  auto greeting = pair.client.take_output();
  SECTION("not netsense") {
    greeting[0] = 'G';
    pair.server.feed(greeting);
    CHECK(pair.server.error() == HandshakeError::kForeign);
    CHECK(!pair.server.greeted());
  }
  SECTION("the other byte order") {
    std::swap(greeting[10], greeting[11]);
    pair.server.feed(greeting);
    CHECK(pair.server.error() == HandshakeError::kEndianness);
  }
  SECTION("stream number out of range") {
    greeting[12] = 9;
    pair.server.feed(greeting);
    CHECK(pair.server.error() == HandshakeError::kBounds);
  }
  SECTION("no streams") {
    greeting[14] = 0;
    pair.server.feed(greeting);
    CHECK(pair.server.error() == HandshakeError::kBounds);
  }
  SECTION("blocks of no size") {
    greeting[16] = greeting[17] = greeting[18] = greeting[19] = 0;
    pair.server.feed(greeting);
    CHECK(pair.server.error() == HandshakeError::kBounds);
  }
  SECTION("too few bytes") {
    greeting.pop_back();
    pair.server.feed(greeting);
    CHECK(pair.server.error() == HandshakeError::kForeign);
  }
  CHECK(!pair.server.done());
}

}  // namespace netsense::tcp
