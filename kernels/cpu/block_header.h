// The header of every block (kernels/format.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/bytes.h"
#include "kernels/format.h"

namespace netsense::kernels {

struct Header {
  BlockKind kind;
  DType type;
  uint8_t parameter;  // byte 2, whose meaning depends on the kind
  uint32_t raw_bytes;
};

inline size_t write_header(const Header& header, uint8_t* out) {
  out[0] = static_cast<uint8_t>(header.kind);
  out[1] = static_cast<uint8_t>(header.type);
  out[2] = header.parameter;
  out[3] = kFormatVersion;
  store_le(out + 4, header.raw_bytes);
  return kBlockHeaderBytes;
}

// From kBlockHeaderBytes bytes; false where they are no header of this format. The kind may be one that is
// not known.
inline bool read_header(const uint8_t* in, Header* header) {
  *header = {static_cast<BlockKind>(in[0]), static_cast<DType>(in[1]), in[2], load_le<uint32_t>(in + 4)};
  return in[3] == kFormatVersion && in[1] < kDTypes && header->raw_bytes <= kMaxBlockBytes;
}

}  // namespace netsense::kernels
