// What a sending comm puts on the wire, against a socket on which the test listens: compressed blocks for a
// peer that can decode them, and for no other.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "kernels/cpu/codec.h"
#include "plugin/transport/tcp/send_comm.h"
#include "tests/catch.h"
#include "tests/unit/transport/wire.h"

namespace netsense::tcp {
namespace {

using testing::Wire;
using Bytes = std::vector<std::byte>;

constexpr size_t kBlock = size_t{128} << 10;
constexpr uint32_t kRawOnly = 1U << static_cast<uint8_t>(core::Codec::kRaw);

Bytes gradients(size_t bytes) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  Bytes data(bytes);
  for (size_t at = 0; at + sizeof(float) <= bytes; at += sizeof(float)) {
    const float value = normal(random);
    std::memcpy(&data[at], &value, sizeof value);
  }
  return data;
}

Bytes read_exactly(const core::Fd& socket, size_t bytes) {
  Bytes data(bytes);
  for (size_t got = 0; got < bytes;) {
    const ssize_t more = ::recv(socket.get(), &data[got], bytes - got, MSG_DONTWAIT);
    if (more <= 0) throw std::runtime_error("the frame is not all there");
    got += static_cast<size_t>(more);
  }
  return data;
}

// The frame that a comm with compression forced sends for one block to a peer that decodes `codecs`.
struct Sent {
  explicit Sent(uint32_t codecs, const Bytes& message) {
    Tuning tuning;
    tuning.block_bytes = kBlock;
    tuning.coding = {.mode = config::Mode::kLossless, .codec = config::CodecChoice::kFast, .min_bytes = 1};
    tuning.peer_timeout = std::chrono::seconds(60);
    Wire wire;
    std::vector<core::Fd> streams;
    streams.push_back(std::move(wire.comm));
    TcpSendComm comm(std::make_shared<Runtime>(tuning), std::move(streams), "the test", {kBlock, codecs});
    transport::Region* region = nullptr;
    auto* data = const_cast<std::byte*>(message.data());
    REQUIRE(comm.register_memory(data, message.size(), transport::MemoryType::kHost, &region) == Status::kOk);
    transport::Request* request = nullptr;
    REQUIRE(comm.isend(data, message.size(), 0, region, {}, &request) == Status::kOk);
    bool done = false;
    size_t bytes = 0;
    REQUIRE(comm.test(request, &done, &bytes) == Status::kOk);
    REQUIRE(done);
    const Bytes head = read_exactly(wire.peer, core::kFrameHeaderBytes);
    REQUIRE(core::parse_frame(std::span(head).first<core::kFrameHeaderBytes>(), transport::kMaxMessage,
                              &header) == core::FrameError::kNone);
    payload = read_exactly(wire.peer, header.coded_bytes);
  }
  core::FrameHeader header;
  Bytes payload;
};

}  // namespace

TEST_CASE("a peer that decodes nothing gets the bytes as they are") {
  const Bytes message = gradients(kBlock);
  const Sent sent(kRawOnly, message);
  CHECK(sent.header.codec == core::Codec::kRaw);
  CHECK((sent.payload == message));
}

TEST_CASE("a peer that decodes gets a block that is smaller and means the same") {
  const Bytes message = gradients(kBlock);
  const Sent sent(core::kKnownCodecs, message);
  CHECK(sent.header.codec == core::Codec::kLossless);
  CHECK(sent.payload.size() < message.size());
  Bytes decoded(sent.header.raw_bytes);
  const auto scratch = std::make_unique<kernels::Scratch>();
  REQUIRE(kernels::decode(sent.payload.data(), sent.payload.size(), decoded.data(), decoded.size(),
                          *scratch) == kernels::DecodeStatus::kOk);
  CHECK((decoded == message));
}

}  // namespace netsense::tcp
