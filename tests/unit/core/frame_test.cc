// The frame format: what is written is read back, and whatever was damaged or contradicts itself is refused.
#include "plugin/core/frame.h"

#include <cstdint>
#include <vector>

#include "plugin/core/bytes.h"
#include "plugin/core/checksum.h"
#include "plugin/core/checksum_impl.h"
#include "tests/catch.h"

namespace netsense::core {
namespace {

constexpr size_t kMaxMessage = size_t{1} << 30;

FrameHeader data_frame() {
  FrameHeader header;
  header.flags = kFlagPayloadChecksum;
  header.sequence = 0x1122334455667788;
  header.message_bytes = 1 << 20;
  header.offset = 1 << 17;
  header.raw_bytes = 1 << 17;
  header.coded_bytes = 1 << 17;
  header.tag = 7;
  header.frame_number = 9;
  header.sent_us = 123456;
  header.payload_checksum = 0xfedcba9876543210;
  return header;
}

FrameError parse(const FrameHeader& header) {
  FrameHeader out;
  return parse_frame(encode_frame(header), kMaxMessage, &out);
}

}  // namespace

TEST_CASE("a frame reads back as it was written") {
  const FrameHeader in = data_frame();
  FrameHeader out;
  REQUIRE(parse_frame(encode_frame(in), kMaxMessage, &out) == FrameError::kNone);
  CHECK(out.type == in.type);
  CHECK(out.flags == in.flags);
  CHECK(out.sequence == in.sequence);
  CHECK(out.message_bytes == in.message_bytes);
  CHECK(out.offset == in.offset);
  CHECK(out.raw_bytes == in.raw_bytes);
  CHECK(out.coded_bytes == in.coded_bytes);
  CHECK(out.tag == in.tag);
  CHECK(out.frame_number == in.frame_number);
  CHECK(out.sent_us == in.sent_us);
  CHECK(out.payload_checksum == in.payload_checksum);
}

TEST_CASE("every flipped bit of a header is noticed") {
  const FrameBytes good = encode_frame(data_frame());
  // The payload's checksum is what the header's protects like everything else.
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    FrameBytes bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    FrameHeader out;
    CAPTURE(bit);
    CHECK(parse_frame(bad, kMaxMessage, &out) != FrameError::kNone);
  }
}

TEST_CASE("sizes that contradict each other are refused") {
  FrameHeader header = data_frame();
  SECTION("the block ends behind the message") {
    header.offset = header.message_bytes - 1;
  }
  SECTION("the block begins behind the message") {
    header.offset = header.message_bytes + 1;
  }
  SECTION("an offset that would wrap") {
    header.offset = UINT64_MAX;
  }
  SECTION("a message beyond the limit") {
    header.message_bytes = kMaxMessage + 1;
  }
  SECTION("a raw block with another coded size") {
    header.coded_bytes -= 1;
  }
  SECTION("an empty block of a message that is not") {
    header.raw_bytes = header.coded_bytes = 0;
  }
  SECTION("a block beyond the limit") {
    header.raw_bytes = header.coded_bytes = kMaxFramePayload + 1;
  }
  SECTION("an acknowledgement with a payload") {
    header.type = FrameType::kAck;
  }
  SECTION("an error text that is too long") {
    header.type = FrameType::kError;
    header.coded_bytes = kMaxErrorText + 1;
  }
  CHECK(parse(header) == FrameError::kBounds);
}

TEST_CASE("an empty message is one empty block") {
  FrameHeader header;
  CHECK(parse(header) == FrameError::kNone);
}

TEST_CASE("unknown types and codecs have names of their own") {
  FrameHeader header = data_frame();
  header.type = static_cast<FrameType>(200);
  CHECK(parse(header) == FrameError::kType);
  header = data_frame();
  header.codec = static_cast<Codec>(9);
  CHECK(parse(header) == FrameError::kCodec);
}

TEST_CASE("the checksum does not depend on the CPU") {
  std::vector<uint8_t> data(100000);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i * 31 + i / 256);
  for (const size_t bytes : {0UL, 1UL, 16UL, 17UL, 128UL, 129UL, 240UL, 241UL, 1024UL, 65536UL, 100000UL}) {
    CAPTURE(bytes);
    CHECK(block_checksum(data.data(), bytes) == XXH3_64bits(data.data(), bytes));
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
      CHECK(checksum_avx2(data.data(), bytes) == XXH3_64bits(data.data(), bytes));
    }
#endif
  }
}

}  // namespace netsense::core
