// Frames: what crosses the wire after the handshake. A message is one frame per block; every frame says on
// its own which message it belongs to, where its bytes go and how they are coded, so frames of one message
// may travel on several streams and the receiver never has to agree with the sender beforehand.
// docs/wire-format.md shows the layout; all integers are little-endian.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace netsense::core {

inline constexpr size_t kFrameHeaderBytes = 64;
inline constexpr uint32_t kFrameMagic = 0x3146534e;  // "NSF1"
inline constexpr uint8_t kFrameVersion = 1;
// Upper bound of the bytes behind one header, whatever the peer says.
inline constexpr size_t kMaxFramePayload = size_t{4} << 20;
// Longest text of an error frame.
inline constexpr size_t kMaxErrorText = 512;

enum class FrameType : uint8_t {
  kData = 0,  // sender to receiver: one block of a message
  kAck = 1,  // receiver to sender: all messages below `sequence` were delivered; `offset` is their byte count
  kError = 2,  // either way: the comm is dead; the payload is text for the log, `tag` a Status
  kClose = 3,  // sender to receiver: no message will follow; `sequence` messages were sent in all
};

enum class Codec : uint8_t {
  kRaw = 0,
  kLossless = 1,  // a block of kernels/format.h
};
// Bit mask of the codecs that this version decodes.
inline constexpr uint32_t kKnownCodecs =
    1U << static_cast<uint8_t>(Codec::kRaw) | 1U << static_cast<uint8_t>(Codec::kLossless);

inline constexpr uint8_t kFlagPayloadChecksum = 1U << 0;

struct FrameHeader {
  FrameType type = FrameType::kData;
  Codec codec = Codec::kRaw;
  uint8_t flags = 0;
  uint64_t sequence = 0;          // number of the message on its connection, from 0
  uint64_t message_bytes = 0;     // whole message, uncoded
  uint64_t offset = 0;            // where this block starts in the uncoded message
  uint32_t raw_bytes = 0;         // this block, uncoded
  uint32_t coded_bytes = 0;       // bytes that follow this header
  uint32_t tag = 0;               // NCCL's tag, for the log
  uint32_t frame_number = 0;      // counts the frames of one direction of one stream, from 0 (wraps)
  uint32_t sent_us = 0;           // sender's clock when the frame was made, in microseconds (wraps)
  uint64_t payload_checksum = 0;  // XXH3-64 of the coded bytes when kFlagPayloadChecksum is set
};

enum class FrameError : uint8_t {
  kNone,
  kMagic,     // not a netsense stream, or out of step
  kVersion,   // another version of this format
  kChecksum,  // the header was damaged
  kType,      // unknown frame type
  kCodec,     // unknown codec
  kBounds,    // sizes that contradict each other or exceed the limits
};

using FrameBytes = std::array<std::byte, kFrameHeaderBytes>;

FrameBytes encode_frame(const FrameHeader& header);

// Checks everything that can be known from the header alone. max_message: largest message in bytes.
FrameError parse_frame(std::span<const std::byte, kFrameHeaderBytes> bytes, size_t max_message,
                       FrameHeader* header);

const char* describe(FrameError error);

}  // namespace netsense::core
