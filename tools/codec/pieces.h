// A file as a row of pieces, each of elements of one type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/codec/types.h"

namespace netsense::codec {

struct Piece {
  size_t offset;  // in the file, bytes
  size_t bytes;
  std::optional<DType> type;  // none: elements of a type that the file does not name, or that we do not code
  bool is_data;               // false: the format's own bytes
};

enum class FileFormat : uint8_t { kRaw, kNpy, kSafetensors };

// .npy by its first bytes, .safetensors by its name, everything else is raw.
FileFormat format_of(const std::string& name, std::span<const uint8_t> file);

// Pieces in the order of the file, without gaps, that cover all of it. Throws Error where the file is not
// what its format says. The bytes may be anything.
std::vector<Piece> pieces_of(FileFormat format, std::span<const uint8_t> file);

// The parts of pieces_of for each format.
std::vector<Piece> npy_pieces(std::span<const uint8_t> file);
std::vector<Piece> safetensors_pieces(std::span<const uint8_t> file);

// bytes of a tensor of this shape, or none when that is more than a size_t holds.
std::optional<size_t> bytes_of_shape(std::span<const uint64_t> shape, size_t element_bytes);

}  // namespace netsense::codec
