// Bits that flip, connections that are cut, and bytes that trickle on the way between two ranks: never wrong
// data, never a hang. An end that has failed does not close its comm here, as NCCL before 2.28 may do: the
// other end has to hear of it all the same.
#include <optional>

#include "tests/catch.h"
#include "tests/loopback/proxy.h"
#include "tests/loopback/traffic.h"

namespace netsense::testing {
namespace {

constexpr uint64_t kHeader = 64;
constexpr size_t kSmall = 1000;
constexpr size_t kLarge = size_t{5} << 20;  // enough for an acknowledgement

// Two ranks with a proxy between them.
struct Harmed {
  Harmed(const Library12& net, size_t bytes, const Harm& harm)
      : traffic(net, bytes, [&](HandleBytes* handle) { proxy.emplace(handle, harm); }) {}
  std::optional<Proxy> proxy;
  Traffic traffic;
};

void check_failed(const Harmed& scene) {
  const Traffic& traffic = scene.traffic;
  CHECK(scene.proxy->harmed() >= 1);
  CHECK(traffic.wrong() == 0);
  CHECK(traffic.sender() == Result::kRemoteError);
  CHECK(traffic.receiver() == Result::kRemoteError);
  CHECK(warned_of("sending to peer 127.0.0.1"));
  CHECK(warned_of("receiving from peer 127.0.0.1"));
  CHECK(warnings().size() == 2);
}

}  // namespace

TEST_CASE("a bit that flips in a frame's header is an error at both ends") {
  const size_t bytes = GENERATE(kSmall, kLarge);
  // The magic, the offset, the number of the frame, the header's checksum, the payload's.
  const uint64_t at = GENERATE(values<uint64_t>({0, 25, 46, 52, 63}));
  CAPTURE(bytes, at);
  const Library12 net;
  Harmed scene(net, bytes, {.kind = Harm::Kind::kFlipBit, .at = kForwardHandshake + at});
  scene.traffic.run_until_both_fail();
  check_failed(scene);
  CHECK(scene.traffic.delivered() == 0);
  CHECK(warned_of("the receiver reports"));
  CHECK(warned_of("damaged on the way"));
}

TEST_CASE("a bit that flips in a message is an error at both ends") {
  const size_t bytes = GENERATE(kSmall, kLarge);
  CAPTURE(bytes);
  const Library12 net;
  Harmed scene(net, bytes, {.kind = Harm::Kind::kFlipBit, .at = kForwardHandshake + kHeader + 500});
  scene.traffic.run_until_both_fail();
  check_failed(scene);
  CHECK(scene.traffic.delivered() == 0);
  CHECK(warned_of("fail their checksum"));
  CHECK(warned_of("the receiver reports"));
}

// The reader of LL and LL128 takes what it finds in the buffer without asking.
TEST_CASE("a message that a reader may poll shows none of its damage") {
  const bool hint = GENERATE(false, true);
  // Up to 64 KiB any message may be one.
  const size_t bytes = hint ? size_t{600000} : size_t{60000};
  CAPTURE(bytes);
  const Library12 net;
  const auto data = floats(bytes, 1);
  std::vector<uint8_t> into(bytes, 0);
  std::optional<Proxy> proxy;
  const Ends ends(net, [&](HandleBytes* handle) {
    proxy.emplace(handle, Harm{.kind = Harm::Kind::kFlipBit, .at = kForwardHandshake + kHeader + 15000});
  });
  void* received = net.post_recv(ends.recv, &into, hint);
  void* sent = net.post_send(ends.send, data, net.register_memory(ends.send, data));
  int sent_done = 0;
  poll_until("an error", [&] {
    if (sent_done == 0) static_cast<void>(net->test(sent, &sent_done, nullptr));
    int done = 0;
    return net->test(received, &done, nullptr) != Result::kOk;
  });
  CHECK(warned_of("fail their checksum"));
  size_t damaged = 0;
  for (size_t i = 0; i < bytes; ++i) damaged += into[i] == 0 || into[i] == data[i] ? 0 : 1;
  CHECK(damaged == 0);
}

TEST_CASE("a frame that comes twice is an error at both ends") {
  const size_t bytes = GENERATE(kSmall, kLarge);
  CAPTURE(bytes);
  const Library12 net;
  Harmed scene(net, bytes, {.kind = Harm::Kind::kRepeatFrame, .at = kForwardHandshake});
  scene.traffic.run_until_both_fail();
  check_failed(scene);
  CHECK(warned_of("frame 0 came where frame 1 was due"));
  CHECK(warned_of("the receiver reports"));
}

TEST_CASE("a frame that lacks its end is an error at both ends") {
  const size_t bytes = GENERATE(kSmall, kLarge);
  CAPTURE(bytes);
  const Library12 net;
  Harmed scene(net, bytes, {.kind = Harm::Kind::kCutFrame, .at = kForwardHandshake});
  scene.traffic.run_until_both_fail();
  check_failed(scene);
  CHECK(warned_of("fail their checksum"));
  CHECK(warned_of("the receiver reports"));
}

TEST_CASE("a bit that flips on the way back is an error at both ends") {
  const size_t bytes = GENERATE(kSmall, kLarge);
  const uint64_t at = GENERATE(values<uint64_t>({0, 8, 30}));
  CAPTURE(bytes, at);
  const Library12 net;
  Harmed scene(net, bytes,
               {.kind = Harm::Kind::kFlipBit, .way = Way::kBackward, .at = kBackwardHandshake + at});
  scene.traffic.run_until_both_fail();
  check_failed(scene);
  CHECK(warned_of("damaged on the way"));
}

TEST_CASE("a connection cut in the middle of a message is an error at both ends") {
  const auto kind = GENERATE(Harm::Kind::kClose, Harm::Kind::kReset);
  const size_t bytes = GENERATE(kSmall, kLarge);
  // In a header, in a payload, between two small messages.
  const uint64_t at = GENERATE(values<uint64_t>({1, 30, kHeader + 500, kHeader + kSmall}));
  // All streams of the connection, or one.
  const size_t connections = GENERATE(values<size_t>({1, SIZE_MAX}));
  CAPTURE(static_cast<int>(kind), bytes, at, connections);
  const Library12 net;
  Harmed scene(net, bytes, {.kind = kind, .at = kForwardHandshake + at, .connections = connections});
  scene.traffic.run_until_both_fail();
  check_failed(scene);
}

TEST_CASE("a connection cut late in a large message is an error at both ends") {
  const auto kind = GENERATE(Harm::Kind::kClose, Harm::Kind::kReset);
  CAPTURE(static_cast<int>(kind));
  const Library12 net;
  Harmed scene(net, size_t{64} << 20, {.kind = kind, .at = uint64_t{5} << 20});
  scene.traffic.run_until_both_fail();
  check_failed(scene);
  CHECK(scene.traffic.delivered() == 0);
}

TEST_CASE("a connection cut in the middle of an acknowledgement is an error at both ends") {
  const auto kind = GENERATE(Harm::Kind::kClose, Harm::Kind::kReset);
  const size_t bytes = GENERATE(kSmall, kLarge);
  CAPTURE(static_cast<int>(kind), bytes);
  const Library12 net;
  Harmed scene(net, bytes, {.kind = kind, .way = Way::kBackward, .at = kBackwardHandshake + 20});
  scene.traffic.run_until_both_fail();
  check_failed(scene);
}

TEST_CASE("bytes that trickle in arrive right") {
  const size_t piece = GENERATE(values<size_t>({1, 61, 1000}));
  CAPTURE(piece);
  const Library12 net;
  for (const size_t bytes : {size_t{0}, size_t{127}, piece * 700}) {
    Harmed scene(net, bytes, {.piece = piece});
    scene.traffic.run_until_delivered(3);
    CHECK(scene.traffic.delivered() == 3);
    CHECK(scene.traffic.wrong() == 0);
  }
  CHECK(warnings().empty());
}

TEST_CASE("an error that trickles in arrives whole") {
  const Library12 net;
  std::vector<uint8_t> small(10);
  const auto data = pattern(2000, 1);
  std::optional<Proxy> proxy;
  const Ends ends(net, [&](HandleBytes* handle) { proxy.emplace(handle, Harm{.piece = 3}); });
  void* received = net.post_recv(ends.recv, &small);
  void* sent = net.post_send(ends.send, data);
  CHECK(net.wait(received) == Result::kInvalidUsage);
  poll_until("error at the sender", [&] { return warned_of("the receiver reports"); });
  CHECK(warned_of("environment. 0 of 1 messages were acknowledged"));
  static_cast<void>(net.wait(sent));
}

// The following need NETSENSE_CODEC, so that what Traffic sends is compressed.

TEST_CASE("compressed messages arrive right and take less", "[.codec]") {
  const Library12 net;
  Harmed scene(net, kLarge, {});
  scene.traffic.run_until_delivered(3);
  CHECK(scene.traffic.delivered() == 3);
  CHECK(scene.traffic.wrong() == 0);
  CHECK(scene.proxy->carried() < 3 * kLarge * 95 / 100);
}

// And these NETSENSE_CHECKSUM=off: only the block itself can tell of its damage.

TEST_CASE("without checksums damage to a compressed block's headers is an error at both ends",
          "[.unchecked]") {
  const size_t bytes = GENERATE(kSmall, kLarge);
  // docs/codecs.md: kind, type, elements of a sub-block, version, sizes, directory, mode of the sub-block.
  const uint64_t at = GENERATE(range<uint64_t>(0, 10));
  CAPTURE(bytes, at);
  const Library12 net;
  Harmed scene(net, bytes, {.kind = Harm::Kind::kFlipBit, .at = kForwardHandshake + kHeader + at});
  scene.traffic.run_until_both_fail();
  check_failed(scene);
  CHECK(scene.traffic.delivered() == 0);
  CHECK(warned_of("cannot be decompressed"));
  CHECK(warned_of("the receiver reports"));
}

TEST_CASE("without checksums damage to rANS words is an error at both ends", "[.unchecked_rans]") {
  const Library12 net;
  Harmed scene(net, kLarge, {.kind = Harm::Kind::kFlipBit, .at = kForwardHandshake + kHeader + 400});
  scene.traffic.run_until_both_fail();
  check_failed(scene);
  CHECK(scene.traffic.delivered() == 0);
  CHECK(warned_of("cannot be decompressed"));
}

TEST_CASE("without checksums a compressed frame that comes twice is an error at both ends", "[.unchecked]") {
  const size_t bytes = GENERATE(kSmall, kLarge);
  CAPTURE(bytes);
  const Library12 net;
  Harmed scene(net, bytes, {.kind = Harm::Kind::kRepeatFrame, .at = kForwardHandshake});
  scene.traffic.run_until_both_fail();
  check_failed(scene);
}

// What docs/footguns.md warns of: mantissas are stored as they are, and nothing but a checksum can see a
// change.
TEST_CASE("without checksums a bit that flips in a mantissa changes the message", "[.unchecked]") {
  const Library12 net;
  Harmed scene(net, kSmall, {.kind = Harm::Kind::kFlipBit, .at = kForwardHandshake + kHeader + 500});
  scene.traffic.run_until_both_fail();
  CHECK(scene.traffic.wrong() == 1);
  CHECK(warnings().empty());
}

}  // namespace netsense::testing
