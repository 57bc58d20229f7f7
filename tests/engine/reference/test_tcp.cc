// The TCP core that the reference plugins share: benchmarks and conformance stand on it.
#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "tests/catch.h"
#include "tests/reference/tcp/connection.h"
#include "tests/reference/tcp/endpoint.h"

namespace netsense::reference {
namespace {

SocketAddress loopback() {
  SocketAddress address{};
  address.ipv4.sin_family = AF_INET;
  address.ipv4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

struct Pair {
  std::unique_ptr<SendConnection> sender;
  std::unique_ptr<RecvConnection> receiver;
};

Pair connect_pair(OnPeerClose on_peer_close = OnPeerClose::kError) {
  Handle handle;
  const auto listener = Listener::open(loopback(), &handle);
  REQUIRE(listener != nullptr);
  Socket sending;
  Socket receiving;
  int64_t sender = 0;
  while (!sending.valid() || !receiving.valid()) {
    if (!sending.valid()) REQUIRE(connect_to(&handle, 7, &sending) == Status::kOk);
    if (!receiving.valid()) REQUIRE(listener->accept(&receiving, &sender) == Status::kOk);
  }
  CHECK(sender == 7);
  return {.sender = std::make_unique<SendConnection>(std::move(sending), on_peer_close),
          .receiver = std::make_unique<RecvConnection>(std::move(receiving), on_peer_close)};
}

Request* post_receive(RecvConnection& connection, std::vector<std::byte>& buffer, int tag = 0) {
  const std::array<void*, 1> data{buffer.data()};
  const std::array<size_t, 1> room{buffer.size()};
  const std::array<int, 1> tags{tag};
  Request* request = nullptr;
  REQUIRE(connection.irecv(data, room, tags, &request) == Status::kOk);
  return request;
}

Request* post_send(SendConnection& connection, const std::vector<std::byte>& buffer, int tag = 0) {
  Request* request = nullptr;
  REQUIRE(connection.isend(buffer.data(), buffer.size(), tag, &request) == Status::kOk);
  return request;
}

void finish(Connection& connection, Request* request) {
  bool done = false;
  while (!done) REQUIRE(connection.test(request, &done) == Status::kOk);
}

std::vector<std::byte> filled(size_t bytes, int value) {
  return std::vector<std::byte>(bytes, static_cast<std::byte>(value));
}

TEST_CASE("messages of all sizes arrive whole and in order, also into larger buffers") {
  const Pair pair = connect_pair();
  std::mt19937 random(1);
  constexpr int kMessages = 600;
  constexpr int kWindow = 20;
  std::vector<std::vector<std::byte>> sent;
  std::vector<std::vector<std::byte>> received;
  for (int i = 0; i < kMessages; ++i) {
    const size_t bytes = i % 7 == 0 ? 0 : random() % (i % 3 == 0 ? 300000 : 200);
    sent.push_back(filled(bytes, static_cast<int>(random() % 256)));
    received.emplace_back(bytes + random() % 5000);
  }
  std::vector<Request*> sends;
  std::vector<Request*> receives;
  size_t sends_done = 0;
  size_t receives_done = 0;
  while (receives_done < kMessages) {
    if (sends.size() < kMessages && sends.size() - sends_done < kWindow) {
      sends.push_back(post_send(*pair.sender, sent[sends.size()]));
    }
    // Receives lag behind at random, so that messages wait in the stream.
    if (receives.size() < kMessages && receives.size() - receives_done < kWindow && random() % 2 == 0) {
      receives.push_back(post_receive(*pair.receiver, received[receives.size()]));
    }
    bool done = false;
    if (sends_done < sends.size()) {
      REQUIRE(pair.sender->test(sends[sends_done], &done) == Status::kOk);
      sends_done += done ? 1 : 0;
    }
    if (receives_done == receives.size()) continue;
    REQUIRE(pair.receiver->test(receives[receives_done], &done) == Status::kOk);
    if (!done) continue;
    const auto& expected = sent[receives_done];
    REQUIRE(receives[receives_done]->parts[0].bytes == expected.size());
    REQUIRE(std::equal(expected.begin(), expected.end(), received[receives_done].begin()));
    ++receives_done;
  }
}

TEST_CASE("a full set of requests is told by a null request") {
  const Pair pair = connect_pair();
  std::vector<std::byte> buffer(8);
  for (int i = 0; i < kMaxRequests; ++i) REQUIRE(post_receive(*pair.receiver, buffer) != nullptr);
  CHECK(post_receive(*pair.receiver, buffer) == nullptr);
}

TEST_CASE("grouped receives find their messages by tag") {
  const Pair pair = connect_pair();
  auto first = filled(100, 0);
  auto second = filled(100, 0);
  auto later = filled(100, 0);
  const std::array<void*, 2> data{first.data(), second.data()};
  const std::array<size_t, 2> room{first.size(), second.size()};
  const std::array<int, 2> tags{4, 9};
  Request* group = nullptr;
  REQUIRE(pair.receiver->irecv(data, room, tags, &group) == Status::kOk);
  Request* single = post_receive(*pair.receiver, later, 9);

  // Two for tag 9 before the one for tag 4: the group is finished last although it was posted first.
  for (const auto& [bytes, tag] : {std::pair(10, 9), std::pair(20, 9), std::pair(30, 4)}) {
    const auto message = filled(static_cast<size_t>(bytes), bytes);
    finish(*pair.sender, post_send(*pair.sender, message, tag));
    if (bytes == 20) finish(*pair.receiver, single);
  }
  CHECK(single->parts[0].bytes == 20);
  CHECK(later[0] == std::byte{20});
  finish(*pair.receiver, group);
  CHECK(group->parts[0].bytes == 30);
  CHECK(group->parts[1].bytes == 10);
  CHECK(first[0] == std::byte{30});
  CHECK(second[0] == std::byte{10});
}

TEST_CASE("a message larger than the receive is an error") {
  const Pair pair = connect_pair();
  auto room = filled(10, 0);
  Request* request = post_receive(*pair.receiver, room);
  const auto message = filled(11, 1);
  finish(*pair.sender, post_send(*pair.sender, message));
  bool done = false;
  Status status = Status::kOk;
  while (status == Status::kOk) status = pair.receiver->test(request, &done);
  CHECK(status == Status::kInvalidUsage);
  CHECK_FALSE(done);
  CHECK(pair.receiver->test(request, &done) == Status::kInvalidUsage);
}

TEST_CASE("a peer that closed is an error, or stays silent if asked to") {
  for (const auto& [policy, expected] :
       {std::pair(OnPeerClose::kError, Status::kRemoteError), std::pair(OnPeerClose::kSilent, Status::kOk)}) {
    Pair pair = connect_pair(policy);
    auto room = filled(10, 0);
    Request* request = post_receive(*pair.receiver, room);
    pair.sender.reset();
    bool done = false;
    Status status = Status::kOk;
    // The close travels through the loopback interface; a few thousand polls are more than it needs.
    for (int i = 0; i < 10000 && status == Status::kOk; ++i) status = pair.receiver->test(request, &done);
    CHECK(status == expected);
    CHECK_FALSE(done);
  }
}

TEST_CASE("a stranger does not disturb the listener") {
  Handle handle;
  const auto listener = Listener::open(loopback(), &handle);
  Handle wrong = handle;
  ++wrong.secret;
  Socket stranger;
  while (!stranger.valid()) REQUIRE(connect_to(&wrong, 1, &stranger) == Status::kOk);
  Socket friendly;
  Socket accepted;
  int64_t sender = 0;
  while (!accepted.valid()) {
    if (!friendly.valid()) REQUIRE(connect_to(&handle, 2, &friendly) == Status::kOk);
    REQUIRE(listener->accept(&accepted, &sender) == Status::kOk);
  }
  CHECK(sender == 2);
}

}  // namespace
}  // namespace netsense::reference
