// The receiving end of a stream, against a socket on which the test says every byte: what it reads beyond the
// frame at hand, and how that is delivered although the socket has nothing more to tell.
#include "plugin/transport/tcp/recv_stream.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "plugin/transport/tcp/recv_comm.h"
#include "plugin/transport/tcp/remote_error.h"
#include "tests/catch.h"
#include "tests/unit/transport/wire.h"

namespace netsense::tcp {
namespace {

using namespace std::chrono_literals;
using testing::Wire;
using Progress = RecvStream::Progress;
using Bytes = std::vector<std::byte>;

constexpr size_t kBlock = 4096;
constexpr size_t kEnough = size_t{1} << 20;

Bytes content(size_t bytes, unsigned seed) {
  Bytes data(bytes);
  for (size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 31 + i / 251 + seed);
  return data;
}

// The frames of one message on one stream.
Bytes frames_of(const Bytes& message, uint64_t sequence, uint32_t* frame_number) {
  Bytes out;
  for (size_t at = 0; at < message.size(); at += kBlock) {
    core::FrameHeader header;
    header.sequence = sequence;
    header.message_bytes = message.size();
    header.offset = at;
    header.frame_number = (*frame_number)++;
    const Bytes frame =
        testing::whole_frame(header, std::span(message).subspan(at, std::min(kBlock, message.size() - at)));
    out.insert(out.end(), frame.begin(), frame.end());
  }
  return out;
}

void say(const Wire& wire, std::span<const std::byte> bytes) {
  REQUIRE(::send(wire.peer.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(bytes.size()));
}

void append(Bytes* to, const Bytes& more) {
  to->insert(to->end(), more.begin(), more.end());
}

// A stream that only the test drives, with a comm that owns none but knows the posted receives.
struct LoneStream {
  LoneStream() : owner(testing::make_runtime(0, kBlock), {}, "the test", {kBlock, 1}) {}
  RecvRequest* post(Bytes* into) {
    return owner.ring().post(&owner, into->data(), into->size(), 0, transport::Reader::kUnknown);
  }
  Wire wire;
  TcpRecvComm owner;
  RecvStream stream{owner, std::move(wire.comm), kBlock};
  uint32_t frame_number = 0;
};

// Polls as NCCL does; false when that does not end in a minute.
bool finish(TcpRecvComm* comm, transport::Request* request) {
  const auto limit = std::chrono::steady_clock::now() + 60s;
  bool done = false;
  size_t bytes = 0;
  while (std::chrono::steady_clock::now() < limit) {
    REQUIRE(comm->test(request, &done, &bytes) == Status::kOk);
    if (done) return true;
    std::this_thread::sleep_for(20us);
  }
  return false;
}

}  // namespace

TEST_CASE("a frame that came along with the wanted one is known to be in memory") {
  LoneStream scene;
  const Bytes first = content(100, 1);
  const Bytes second = content(200, 2);
  Bytes said = frames_of(first, 0, &scene.frame_number);
  append(&said, frames_of(second, 1, &scene.frame_number));
  Bytes into_first(100);
  Bytes into_second(200);
  RecvRequest* one = scene.post(&into_first);
  CHECK(scene.stream.drive(kEnough, &one->done) == Progress::kWaiting);
  CHECK(!scene.stream.has_read_ahead());
  say(scene.wire, said);
  CHECK(scene.stream.drive(kEnough, &one->done) == Progress::kBudget);
  CHECK(one->done);
  CHECK(into_first == first);
  CHECK(scene.stream.has_read_ahead());
  // Its receive is not there yet: still in memory.
  CHECK(scene.stream.drive(kEnough, nullptr) == Progress::kStalled);
  CHECK(scene.stream.has_read_ahead());
  RecvRequest* two = scene.post(&into_second);
  CHECK(scene.stream.drive(kEnough, &two->done) == Progress::kBudget);
  CHECK(two->done);
  CHECK(into_second == second);
  CHECK(!scene.stream.has_read_ahead());
  CHECK(scene.stream.drive(kEnough, nullptr) == Progress::kWaiting);
}

TEST_CASE("part of a frame is not read ahead: the socket will tell of the rest") {
  LoneStream scene;
  const Bytes message = content(1000, 3);
  const Bytes said = frames_of(message, 0, &scene.frame_number);
  Bytes into(1000);
  RecvRequest* request = scene.post(&into);
  size_t from = 0;
  for (const size_t to : {size_t{30}, size_t{64}, size_t{65}, size_t{900}}) {
    CAPTURE(to);
    say(scene.wire, std::span(said).subspan(from, to - from));
    CHECK(scene.stream.drive(kEnough, &request->done) == Progress::kWaiting);
    CHECK(!scene.stream.has_read_ahead());
    CHECK(!request->done);
    from = to;
  }
  say(scene.wire, std::span(said).subspan(from));
  CHECK(scene.stream.drive(kEnough, &request->done) == Progress::kBudget);
  CHECK(request->done);
  CHECK(into == message);
}

TEST_CASE("an error of the sender arrives in pieces of any size") {
  LoneStream scene;
  const Bytes said = make_error(Status::kSystemError, "out of paper", 0);
  for (const std::byte byte : said) {
    CHECK(scene.stream.drive(kEnough, nullptr) == Progress::kWaiting);
    CHECK(!scene.stream.has_read_ahead());
    say(scene.wire, std::span(&byte, 1));
  }
  CHECK(scene.stream.drive(kEnough, nullptr) == Progress::kEnded);
  CHECK(scene.owner.health().status() == Status::kSystemError);
}

TEST_CASE("a receiver that has lost one of its streams lets the sender know on the others") {
  std::array<Wire, 2> wires;
  std::vector<core::Fd> streams;
  streams.reserve(wires.size());
  for (Wire& wire : wires) streams.push_back(std::move(wire.comm));
  Bytes into(10);
  TcpRecvComm comm(testing::make_runtime(0, kBlock), std::move(streams), "the test", {kBlock, 1});
  transport::Request* request = nullptr;
  REQUIRE(comm.irecv(into.data(), into.size(), 0, nullptr, transport::Reader::kUnknown, &request) ==
          Status::kOk);
  std::byte byte{};
  CHECK(::recv(wires[1].peer.get(), &byte, 1, 0) == -1);
  wires[0].peer.reset();
  bool done = false;
  size_t bytes = 0;
  for (int i = 0; i < 100 && comm.health().ok(); ++i) static_cast<void>(comm.test(request, &done, &bytes));
  CHECK(comm.health().status() == Status::kRemoteError);
  CHECK(::recv(wires[1].peer.get(), &byte, 1, 0) == 0);
}

// The reactor's thread moves large messages. It has read the small message behind this one when it stops for
// want of a receive, and the socket has nothing more to wake it with.
TEST_CASE("what the reactor has read ahead is delivered by the next test") {
  Wire wire;
  std::vector<core::Fd> streams;
  streams.push_back(std::move(wire.comm));
  const Bytes large = content((size_t{256} << 10) + 100, 4);
  const Bytes small = content(100, 5);
  Bytes into_large(large.size());
  Bytes into_small(small.size());
  TcpRecvComm comm(testing::make_runtime(1, kBlock), std::move(streams), "the test", {kBlock, 1});
  transport::Request* request = nullptr;
  REQUIRE(comm.irecv(into_large.data(), into_large.size(), 0, nullptr, transport::Reader::kUnknown,
                     &request) == Status::kOk);
  uint32_t frame_number = 0;
  Bytes said = frames_of(large, 0, &frame_number);
  append(&said, frames_of(small, 1, &frame_number));
  // Both messages' ends in one piece, the rest before it as the socket takes it.
  const size_t last = 1000;
  std::thread sender([&] {
    for (size_t at = 0; at < said.size();) {
      const size_t piece = at < said.size() - last ? said.size() - last - at : last;
      const ssize_t sent = ::send(wire.peer.get(), said.data() + at, piece, MSG_NOSIGNAL);
      if (sent > 0) at += static_cast<size_t>(sent);
      if (sent < 0) std::this_thread::yield();
    }
  });
  const bool large_arrived = finish(&comm, request);
  sender.join();
  REQUIRE(large_arrived);
  CHECK(into_large == large);
  CHECK(comm.bulk());
  // Time for the reactor to stop at the second message. Without it the test is weaker, not wrong.
  std::this_thread::sleep_for(20ms);
  REQUIRE(comm.irecv(into_small.data(), into_small.size(), 0, nullptr, transport::Reader::kUnknown,
                     &request) == Status::kOk);
  CHECK(finish(&comm, request));
  CHECK(into_small == small);
  CHECK(!comm.bulk());
}

}  // namespace netsense::tcp
