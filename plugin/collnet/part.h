// What ranks send each other: messages that hold one part after the other, each a piece of a call's data with
// a header (docs/all-reduce.md). Little-endian. The transport's frames guard the bytes; the header guards
// against ranks that are not in the same call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace netsense::collnet {

enum class PartKind : uint8_t {
  kRaw = 0,    // the elements
  kLossy = 1,  // a block of kernels/cpu/lossy.h
  kApart = 2,  // the elements, in the next message, which holds nothing else
};

struct PartHeader {
  PartKind kind = PartKind::kRaw;
  uint32_t call = 0;      // number of the call on its comm
  uint32_t print = 0;     // fingerprint of what the call does
  uint32_t piece = 0;     // within the receiver's or the sender's share
  uint32_t elements = 0;  // of the piece
  uint32_t bytes = 0;     // that follow here; of kApart: in the next message
  bool operator==(const PartHeader&) const = default;
};

inline constexpr size_t kPartHeaderBytes = 24;

struct Part {
  PartHeader header;
  std::span<const std::byte> body;
};

void write_part_header(const PartHeader& header, std::byte* to);

// Takes the first part off `message`; nothing when it is malformed.
std::optional<Part> take_part(std::span<const std::byte>* message);

}  // namespace netsense::collnet
