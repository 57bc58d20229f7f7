#include "tools/codec/pieces.h"

#include <algorithm>
#include <array>

namespace netsense::codec {
namespace {

constexpr std::array<uint8_t, 6> kNpyMagic{0x93, 'N', 'U', 'M', 'P', 'Y'};

}  // namespace

FileFormat format_of(const std::string& name, std::span<const uint8_t> file) {
  if (file.size() >= kNpyMagic.size() && std::equal(kNpyMagic.begin(), kNpyMagic.end(), file.begin())) {
    return FileFormat::kNpy;
  }
  return name.ends_with(".safetensors") ? FileFormat::kSafetensors : FileFormat::kRaw;
}

std::vector<Piece> pieces_of(FileFormat format, std::span<const uint8_t> file) {
  switch (format) {
    case FileFormat::kNpy:
      return npy_pieces(file);
    case FileFormat::kSafetensors:
      return safetensors_pieces(file);
    case FileFormat::kRaw:
      break;
  }
  return {{0, file.size(), std::nullopt, true}};
}

std::optional<size_t> bytes_of_shape(std::span<const uint64_t> shape, size_t element_bytes) {
  // An extent of 0 makes the tensor empty, however large the others are.
  if (std::find(shape.begin(), shape.end(), 0U) != shape.end()) return 0;
  size_t bytes = element_bytes;
  for (const uint64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return bytes;
}

}  // namespace netsense::codec
