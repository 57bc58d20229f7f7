// NumPy's .npy: magic, version, length of the header, and the header, a Python dictionary in text:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
// (format specification: numpy.lib.format).
#include <charconv>
#include <string_view>

#include "tools/codec/error.h"
#include "tools/codec/pieces.h"

namespace netsense::codec {
namespace {

constexpr size_t kVersionAt = 6;
constexpr size_t kLengthAt = 8;

// What follows 'key': in the dictionary. Keys stand in quotes, and no value that numpy writes for plain
// arrays contains one of the keys.
std::string_view value_of(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + std::string(key) + quote;
    size_t at = header.find(quoted);
    if (at == std::string_view::npos) continue;
    at = header.find_first_not_of(' ', at + quoted.size());
    if (at == std::string_view::npos || header[at] != ':') continue;
    at = header.find_first_not_of(' ', at + 1);
    if (at != std::string_view::npos) return header.substr(at);
  }
  throw Error("its .npy header has no {}", key);
}

// The text between quotes; empty for a list, which describes a record of several fields.
std::string_view descr_of(std::string_view header) {
  const std::string_view value = value_of(header, "descr");
  if (value[0] == '[') return {};
  const size_t end = value.find(value[0], 1);
  if ((value[0] != '\'' && value[0] != '"') || end == std::string_view::npos) {
    throw Error("its .npy header has a descr that is no text");
  }
  return value.substr(1, end - 1);
}

std::vector<uint64_t> shape_of(std::string_view header) {
  const std::string_view value = value_of(header, "shape");
  const size_t close = value.find(')');
  if (value[0] != '(' || close == std::string_view::npos) {
    throw Error("its .npy header has a shape that is no tuple");
  }
  std::vector<uint64_t> shape;
  for (std::string_view rest = value.substr(1, close - 1);;) {
    const size_t begin = rest.find_first_not_of(' ');
    if (begin == std::string_view::npos) return shape;
    uint64_t extent = 0;
    const char* const end = rest.data() + rest.size();
    const auto [stop, error] = std::from_chars(rest.data() + begin, end, extent);
    if (error != std::errc()) throw Error("its .npy header has a shape that is not made of numbers");
    shape.push_back(extent);
    rest = rest.substr(static_cast<size_t>(stop - rest.data()));
    const size_t comma = rest.find_first_not_of(' ');
    if (comma == std::string_view::npos) return shape;
    if (rest[comma] != ',') throw Error("its .npy header has a shape that is not made of numbers");
    rest = rest.substr(comma + 1);
  }
}

struct NpyType {
  std::optional<DType> type;
  size_t bytes;  // 0: not known
};

NpyType type_of(std::string_view descr) {
  if (descr == "<f4") return {DType::kF32, 4};
  if (descr == "<f2") return {DType::kF16, 2};
  if (descr == "<f8") return {DType::kF64, 8};
  if (descr.size() < 3) return {DType::kBytes, 0};
  // NumPy has no bf16 and no fp8: extensions store them as bytes without meaning, or as floats of one byte.
  const char kind = descr[1];
  std::optional<DType> type = DType::kBytes;
  if (kind == 'V' || descr == "<f1" || descr == "|f1") type = std::nullopt;
  size_t bytes = 0;
  const auto [stop, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), bytes);
  // Text counts characters, objects are pickled, and dates have units behind their size.
  const bool counts_bytes =
      error == std::errc() && stop == descr.data() + descr.size() && kind != 'U' && kind != 'O';
  return {type, counts_bytes ? bytes : 0};
}

}  // namespace

std::vector<Piece> npy_pieces(std::span<const uint8_t> file) {
  if (file.size() < kLengthAt) throw Error("its .npy header is cut off");
  const unsigned version = file[kVersionAt];
  if (version < 1 || version > 3) throw Error("it is .npy of version {}; 1 to 3 are known", version);
  const size_t length_bytes = version == 1 ? 2 : 4;
  if (file.size() < kLengthAt + length_bytes) throw Error("its .npy header is cut off");
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) length |= size_t{file[kLengthAt + i]} << (8 * i);
  const size_t begin = kLengthAt + length_bytes;
  if (file.size() - begin < length) throw Error("its .npy header is cut off");
  const std::string_view header(reinterpret_cast<const char*>(file.data()) + begin, length);
  const NpyType type = type_of(descr_of(header));
  const size_t data = file.size() - begin - length;
  if (type.bytes != 0) {
    const std::optional<size_t> expected = bytes_of_shape(shape_of(header), type.bytes);
    if (expected != data)
      throw Error("its .npy header promises another number of bytes than the {} there are", data);
  }
  return {{0, begin + length, std::nullopt, false}, {begin + length, data, type.type, true}};
}

}  // namespace netsense::codec
