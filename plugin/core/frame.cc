#include "plugin/core/frame.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "plugin/core/bytes.h"

namespace netsense::core {
namespace {

// Byte offsets of the fields.
constexpr size_t kMagicAt = 0;
constexpr size_t kVersionAt = 4;
constexpr size_t kTypeAt = 5;
constexpr size_t kCodecAt = 6;
constexpr size_t kFlagsAt = 7;
constexpr size_t kSequenceAt = 8;
constexpr size_t kMessageBytesAt = 16;
constexpr size_t kOffsetAt = 24;
constexpr size_t kRawBytesAt = 32;
constexpr size_t kCodedBytesAt = 36;
constexpr size_t kTagAt = 40;
constexpr size_t kFrameNumberAt = 44;
constexpr size_t kSentAt = 48;
constexpr size_t kHeaderChecksumAt = 52;
constexpr size_t kPayloadChecksumAt = 56;
static_assert(kPayloadChecksumAt + sizeof(uint64_t) == kFrameHeaderBytes);

// The low half of XXH3-64 over the header with the checksum field zero.
uint32_t header_checksum(const std::byte* bytes) {
  FrameBytes copy;
  std::memcpy(copy.data(), bytes, kFrameHeaderBytes);
  store_le<uint32_t>(copy.data() + kHeaderChecksumAt, 0);
  return static_cast<uint32_t>(XXH3_64bits(copy.data(), copy.size()));
}

FrameError check_sizes(const FrameHeader& header, size_t max_message) {
  if (header.coded_bytes > kMaxFramePayload || header.raw_bytes > kMaxFramePayload)
    return FrameError::kBounds;
  switch (header.type) {
    case FrameType::kData:
      if (header.message_bytes > max_message) return FrameError::kBounds;
      if (header.offset > header.message_bytes) return FrameError::kBounds;
      if (header.raw_bytes > header.message_bytes - header.offset) return FrameError::kBounds;
      // Only an empty message has an empty block: anything else could be repeated without end.
      if (header.raw_bytes == 0 && header.message_bytes != 0) return FrameError::kBounds;
      if (header.codec == Codec::kRaw && header.coded_bytes != header.raw_bytes) return FrameError::kBounds;
      // What does not shrink is sent raw.
      if (header.codec != Codec::kRaw && header.coded_bytes >= header.raw_bytes) return FrameError::kBounds;
      return FrameError::kNone;
    case FrameType::kError:
      return header.coded_bytes <= kMaxErrorText ? FrameError::kNone : FrameError::kBounds;
    case FrameType::kAck:
    case FrameType::kClose:
      return header.coded_bytes == 0 ? FrameError::kNone : FrameError::kBounds;
  }
  return FrameError::kType;
}

}  // namespace

FrameBytes encode_frame(const FrameHeader& header) {
  FrameBytes out;
  std::byte* p = out.data();
  store_le<uint32_t>(p + kMagicAt, kFrameMagic);
  store_le<uint8_t>(p + kVersionAt, kFrameVersion);
  store_le<uint8_t>(p + kTypeAt, static_cast<uint8_t>(header.type));
  store_le<uint8_t>(p + kCodecAt, static_cast<uint8_t>(header.codec));
  store_le<uint8_t>(p + kFlagsAt, header.flags);
  store_le<uint64_t>(p + kSequenceAt, header.sequence);
  store_le<uint64_t>(p + kMessageBytesAt, header.message_bytes);
  store_le<uint64_t>(p + kOffsetAt, header.offset);
  store_le<uint32_t>(p + kRawBytesAt, header.raw_bytes);
  store_le<uint32_t>(p + kCodedBytesAt, header.coded_bytes);
  store_le<uint32_t>(p + kTagAt, header.tag);
  store_le<uint32_t>(p + kFrameNumberAt, header.frame_number);
  store_le<uint32_t>(p + kSentAt, header.sent_us);
  store_le<uint64_t>(p + kPayloadChecksumAt, header.payload_checksum);
  store_le<uint32_t>(p + kHeaderChecksumAt, 0);
  store_le<uint32_t>(p + kHeaderChecksumAt, static_cast<uint32_t>(XXH3_64bits(p, kFrameHeaderBytes)));
  return out;
}

FrameError parse_frame(std::span<const std::byte, kFrameHeaderBytes> bytes, size_t max_message,
                       FrameHeader* header) {
  const std::byte* p = bytes.data();
  if (load_le<uint32_t>(p + kMagicAt) != kFrameMagic) return FrameError::kMagic;
  if (load_le<uint8_t>(p + kVersionAt) != kFrameVersion) return FrameError::kVersion;
  if (load_le<uint32_t>(p + kHeaderChecksumAt) != header_checksum(p)) return FrameError::kChecksum;

  FrameHeader parsed;
  const auto type = load_le<uint8_t>(p + kTypeAt);
  if (type > static_cast<uint8_t>(FrameType::kClose)) return FrameError::kType;
  parsed.type = static_cast<FrameType>(type);
  const auto codec = load_le<uint8_t>(p + kCodecAt);
  if (codec > static_cast<uint8_t>(Codec::kLossless)) return FrameError::kCodec;
  parsed.codec = static_cast<Codec>(codec);
  parsed.flags = load_le<uint8_t>(p + kFlagsAt);
  parsed.sequence = load_le<uint64_t>(p + kSequenceAt);
  parsed.message_bytes = load_le<uint64_t>(p + kMessageBytesAt);
  parsed.offset = load_le<uint64_t>(p + kOffsetAt);
  parsed.raw_bytes = load_le<uint32_t>(p + kRawBytesAt);
  parsed.coded_bytes = load_le<uint32_t>(p + kCodedBytesAt);
  parsed.tag = load_le<uint32_t>(p + kTagAt);
  parsed.frame_number = load_le<uint32_t>(p + kFrameNumberAt);
  parsed.sent_us = load_le<uint32_t>(p + kSentAt);
  parsed.payload_checksum = load_le<uint64_t>(p + kPayloadChecksumAt);
  const FrameError sizes = check_sizes(parsed, max_message);
  if (sizes == FrameError::kNone) *header = parsed;
  return sizes;
}

const char* describe(FrameError error) {
  switch (error) {
    case FrameError::kNone:
      return "no error";
    case FrameError::kMagic:
      return "the bytes are not a netsense frame";
    case FrameError::kVersion:
      return "the frame has another format version";
    case FrameError::kChecksum:
      return "the frame header fails its checksum";
    case FrameError::kType:
      return "unknown frame type";
    case FrameError::kCodec:
      return "unknown codec";
    case FrameError::kBounds:
      return "the frame's sizes are out of bounds";
  }
  return "unknown frame error";
}

}  // namespace netsense::core
