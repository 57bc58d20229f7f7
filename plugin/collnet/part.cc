#include "plugin/collnet/part.h"

#include "plugin/core/bytes.h"

namespace netsense::collnet {
namespace {

constexpr uint32_t kMagic = 0x4e50;  // "PN"

}  // namespace

void write_part_header(const PartHeader& header, std::byte* to) {
  core::store_le<uint32_t>(to, kMagic | static_cast<uint32_t>(header.kind) << 16);
  core::store_le<uint32_t>(to + 4, header.call);
  core::store_le<uint32_t>(to + 8, header.print);
  core::store_le<uint32_t>(to + 12, header.piece);
  core::store_le<uint32_t>(to + 16, header.elements);
  core::store_le<uint32_t>(to + 20, header.bytes);
}

std::optional<Part> take_part(std::span<const std::byte>* message) {
  if (message->size() < kPartHeaderBytes) return std::nullopt;
  const std::byte* from = message->data();
  const auto first = core::load_le<uint32_t>(from);
  if ((first & 0xffff) != kMagic || first >> 16 > static_cast<uint32_t>(PartKind::kApart))
    return std::nullopt;
  const PartHeader header{.kind = static_cast<PartKind>(first >> 16),
                          .call = core::load_le<uint32_t>(from + 4),
                          .print = core::load_le<uint32_t>(from + 8),
                          .piece = core::load_le<uint32_t>(from + 12),
                          .elements = core::load_le<uint32_t>(from + 16),
                          .bytes = core::load_le<uint32_t>(from + 20)};
  const size_t here = header.kind == PartKind::kApart ? 0 : header.bytes;
  if (here > message->size() - kPartHeaderBytes) return std::nullopt;
  const Part part{header, message->subspan(kPartHeaderBytes, here)};
  *message = message->subspan(kPartHeaderBytes + here);
  return part;
}

}  // namespace netsense::collnet
