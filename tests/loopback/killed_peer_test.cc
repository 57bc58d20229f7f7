// A peer that dies in the middle of the handshake, at each of its steps: the connector gets an error within
// the time limit, and the listener goes on to take the next one.
#include <array>
#include <cstring>
#include <optional>

#include "tests/catch.h"
#include "tests/loopback/proxy.h"
#include "tests/loopback/scene.h"

namespace netsense::testing {
namespace {

struct Step {
  const char* name;
  Way way;
  uint64_t at;
};

// docs/wire-format.md. The last one that leaves the listener without a comm is the torn PROOF.
constexpr std::array kBeforeProof{
    Step{"nothing was said", Way::kForward, 0}, Step{"a torn HELLO", Way::kForward, 10},
    Step{"HELLO", Way::kForward, 72},           Step{"a torn CHALLENGE", Way::kBackward, 50},
    Step{"CHALLENGE", Way::kBackward, 88},      Step{"a torn PROOF", Way::kForward, 72 + 20},
};
constexpr std::array kAfterProof{
    Step{"PROOF", Way::kForward, kForwardHandshake},
    Step{"a torn WELCOME", Way::kBackward, 88 + 3},
};

// A listener whose first peer comes through a proxy.
struct Scene {
  Scene(const Library12& library, const Harm& harm) : net(library), listener(net.listen(&handle)) {
    HandleBytes detoured = handle;
    proxy.emplace(&detoured, harm);
    first = net.connect(&detoured, &unused);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  ~Scene() { static_cast<void>(net->close_listen(listener)); }

  const Library12& net;
  HandleBytes handle{};
  void* listener;
  std::optional<Proxy> proxy;
  void* unused = nullptr;
  Result first = Result::kOk;
};

Harm death(Harm::Kind kind, const Step& step, size_t connections) {
  return {.kind = kind, .way = step.way, .at = step.at, .connections = connections};
}

// Whether the receiving comm gets what was sent; its buffer lives on in *into.
bool receives(const Library12& net, void* recv_comm, const std::vector<uint8_t>& data,
              std::vector<uint8_t>* into) {
  into->assign(data.size(), 0);
  void* received = net.post_recv(recv_comm, into);
  return received != nullptr && net.wait(received) == Result::kOk && *into == data;
}

void check_connector(const Scene& scene) {
  CHECK(scene.first == Result::kRemoteError);
  CHECK(scene.unused == nullptr);
  CHECK(scene.proxy->harmed() >= 1);
  CHECK(warned_of("cannot connect to peer 127.0.0.1"));
  CHECK(warnings().size() == 1);
}

}  // namespace

TEST_CASE(
    "a peer that dies before it has proved itself is an error for the connector, and the listener goes on") {
  const auto kind = GENERATE(Harm::Kind::kClose, Harm::Kind::kReset);
  const Step step = GENERATE(from_range(kBeforeProof));
  // All streams of the connection die, or one.
  const size_t connections = GENERATE(values<size_t>({1, SIZE_MAX}));
  CAPTURE(static_cast<int>(kind), step.name, connections);
  const Library12 net;
  Scene scene(net, death(kind, step, connections));
  check_connector(scene);

  void* send_comm = nullptr;
  void* recv_comm = nullptr;
  REQUIRE(net.connect(&scene.handle, &send_comm) == Result::kOk);
  REQUIRE(net.accept(scene.listener, &recv_comm) == Result::kOk);
  const auto data = pattern(1000, 1);
  std::vector<uint8_t> into;
  CHECK(net.wait(net.post_send(send_comm, data)) == Result::kOk);
  CHECK(receives(net, recv_comm, data, &into));
  CHECK(net->close_send(send_comm) == Result::kOk);
  CHECK(net->close_recv(recv_comm) == Result::kOk);
  CHECK(warnings().size() == 1);
}

// Here the listener could not know: the peer had said all that it had to say.
TEST_CASE("a peer that dies after its proof is a dead comm at most, and the listener goes on") {
  const auto kind = GENERATE(Harm::Kind::kClose, Harm::Kind::kReset);
  const Step step = GENERATE(from_range(kAfterProof));
  CAPTURE(static_cast<int>(kind), step.name);
  const Library12 net;
  Scene scene(net, death(kind, step, SIZE_MAX));
  check_connector(scene);

  void* send_comm = nullptr;
  REQUIRE(net.connect(&scene.handle, &send_comm) == Result::kOk);
  void* recv_comm = nullptr;
  REQUIRE(net.accept(scene.listener, &recv_comm) == Result::kOk);
  const auto data = pattern(1000, 1);
  std::vector<uint8_t> into;
  CHECK(net.wait(net.post_send(send_comm, data)) == Result::kOk);
  if (!receives(net, recv_comm, data, &into)) {
    CHECK(warned_of("receiving from peer 127.0.0.1"));
    CHECK(net->close_recv(recv_comm) == Result::kOk);
    recv_comm = nullptr;
    REQUIRE(net.accept(scene.listener, &recv_comm) == Result::kOk);
    CHECK(receives(net, recv_comm, data, &into));
  }
  CHECK(net->close_send(send_comm) == Result::kOk);
  CHECK(net->close_recv(recv_comm) == Result::kOk);
}

TEST_CASE("a listener whose only peer died in the handshake names it within the time limit") {
  const Step step = GENERATE(Step{"HELLO", Way::kForward, 72}, Step{"a torn PROOF", Way::kForward, 72 + 20});
  CAPTURE(step.name);
  const Library12 net;
  Scene scene(net, death(Harm::Kind::kReset, step, SIZE_MAX));
  check_connector(scene);
  void* comm = nullptr;
  // NETSENSE_CONNECT_TIMEOUT is one second here.
  CHECK(net.accept(scene.listener, &comm) == Result::kRemoteError);
  CHECK(warned_of("no netsense peer connected"));
  CHECK(warned_of("went away in the middle of the handshake"));
}

TEST_CASE("a bit that flips in the handshake makes no connection, and the listener goes on") {
  const Way way = GENERATE(Way::kForward, Way::kBackward);
  // HELLO: magic, version, number of streams, nonce; PROOF: magic, proof. CHALLENGE: magic, status, nonce,
  // proof; WELCOME.
  const uint64_t at = way == Way::kForward ? GENERATE(values<uint64_t>({3, 8, 14, 60, 75, 100}))
                                           : GENERATE(values<uint64_t>({3, 12, 40, 80, 90}));
  CAPTURE(static_cast<int>(way), at);
  const Library12 net;
  Scene scene(net, {.kind = Harm::Kind::kFlipBit, .way = way, .at = at});
  check_connector(scene);
  void* send_comm = nullptr;
  REQUIRE(net.connect(&scene.handle, &send_comm) == Result::kOk);
  CHECK(net->close_send(send_comm) == Result::kOk);
}

}  // namespace netsense::testing
