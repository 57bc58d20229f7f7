// Compressed files: a header, then blocks of kernels/cpu/codec.h. docs/codec-tool.md has the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/cpu/codec.h"
#include "tools/codec/pieces.h"

namespace netsense::codec {

// As much as a network frame of netsense carries, so that ratios and speeds are those of the network.
constexpr size_t kBlockBytes = 128 * 1024;

// Compresses the pieces, which must cover the file without gaps. fallback: the type of data whose type the
// file does not say.
std::vector<uint8_t> compress(std::span<const uint8_t> file, std::span<const Piece> pieces, DType fallback,
                              kernels::Tier tier);

// The file again. Throws Error when the bytes are not what compress() made; they may be anything. The memory
// used is bounded by the blocks that are there, not by what the header promises.
std::vector<uint8_t> decompress(std::span<const uint8_t> container);

}  // namespace netsense::codec
