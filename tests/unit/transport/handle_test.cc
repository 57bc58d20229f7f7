// The handle, error frames, addresses as text, and what a registered buffer is taken for.
#include "plugin/transport/tcp/handle.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <cstring>
#include <string>

#include "plugin/transport/region.h"
#include "plugin/transport/tcp/remote_error.h"
#include "tests/catch.h"

namespace netsense::tcp {
namespace {

using HandleBytes = std::array<std::byte, transport::kHandleSize>;

Address ipv4(const char* text, uint16_t port) {
  Address address;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  v4->sin_family = AF_INET;
  v4->sin_port = htons(port);
  inet_pton(AF_INET, text, &v4->sin_addr);
  address.length = sizeof *v4;
  return address;
}

}  // namespace

TEST_CASE("a handle reads back as it was written") {
  HandleBytes bytes{};
  HandleContents in;
  in.address = ipv4("192.0.2.7", 4711);
  in.secret.fill(0x5a);
  in.protocol_version = 3;
  write_handle(in, bytes);
  CHECK(connect_token(bytes) == 0);
  HandleContents out;
  REQUIRE(read_handle(bytes, &out) == HandleError::kNone);
  CHECK(to_string(out.address) == "192.0.2.7:4711");
  CHECK(out.secret == in.secret);
  CHECK(out.protocol_version == 3);
  set_connect_token(bytes, 99);
  CHECK(connect_token(bytes) == 99);
  CHECK(read_handle(bytes, &out) == HandleError::kNone);
}

TEST_CASE("a handle of another plugin is told apart") {
  HandleBytes bytes{};
  HandleContents out;
  CHECK(read_handle(bytes, &out) == HandleError::kForeign);
  write_handle({.address = ipv4("192.0.2.7", 1), .secret = {}, .protocol_version = 1}, bytes);
  const sa_family_t nonsense = 200;
  std::memcpy(bytes.data(), &nonsense, sizeof nonsense);
  CHECK(read_handle(bytes, &out) == HandleError::kAddress);
}

TEST_CASE("IPv6 addresses carry their port behind brackets") {
  Address address;
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  v6->sin6_family = AF_INET6;
  inet_pton(AF_INET6, "fe80::1", &v6->sin6_addr);
  address.set_port(80);
  CHECK(address.is_link_local());
  CHECK(to_string(address) == "[fe80::1]:80");
}

TEST_CASE("an error frame carries a status and a printable text") {
  const std::string text = "too long\n\x1b[31m";
  const auto frame = make_error(Status::kInvalidUsage, text, 4);
  core::FrameHeader header;
  REQUIRE(core::parse_frame(
              std::span<const std::byte, core::kFrameHeaderBytes>(frame.data(), core::kFrameHeaderBytes), 0,
              &header) == core::FrameError::kNone);
  CHECK(frame.size() == core::kFrameHeaderBytes + text.size());
  const RemoteError error = read_error(header, frame.data() + core::kFrameHeaderBytes);
  CHECK(error.status == Status::kInvalidUsage);
  CHECK(error.text == "too long??[31m");
  header.tag = 12345;
  CHECK(read_error(header, frame.data() + core::kFrameHeaderBytes).status == Status::kRemoteError);
  CHECK(make_error(Status::kRemoteError, std::string(5000, 'x'), 0).size() ==
        core::kFrameHeaderBytes + core::kMaxErrorText);
}

TEST_CASE("buffers of NCCL's LL and LL128 sizes are treated with care") {
  using transport::BufferKind;
  const transport::LowLatencySizes sizes;
  CHECK(transport::classify(524288, sizes) == BufferKind::kLowLatency);
  CHECK(transport::classify(4915200, sizes) == BufferKind::kLowLatency);
  CHECK(transport::classify(4194304, sizes) == BufferKind::kSimple);
  CHECK(transport::classify(1000000, {.ll = 1000000, .ll128 = 2}) == BufferKind::kLowLatency);
}

}  // namespace netsense::tcp
