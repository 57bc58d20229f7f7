// Hugging Face's .safetensors: the length of the header in 8 bytes, the header in JSON, then the tensors
// without gaps:
//   {"name": {"dtype": "F32", "shape": [3, 4], "data_offsets": [0, 48]}, ..., "__metadata__": {...}}
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tools/codec/error.h"
#include "tools/codec/pieces.h"

namespace netsense::codec {
namespace {

using nlohmann::json;

constexpr size_t kLengthBytes = 8;
constexpr uint64_t kMostHeaderBytes = 100'000'000;  // what the format allows

struct StoredType {
  std::string_view name;
  std::optional<DType> type;
  size_t bytes;
};

constexpr StoredType kStoredTypes[] = {
    {"F32", DType::kF32, 4},    {"F16", DType::kF16, 2},        {"BF16", DType::kBf16, 2},
    {"F64", DType::kF64, 8},    {"F8_E4M3", DType::kF8E4M3, 1}, {"F8_E5M2", DType::kF8E5M2, 1},
    {"BOOL", DType::kBytes, 1}, {"U8", DType::kBytes, 1},       {"I8", DType::kBytes, 1},
    {"I16", DType::kBytes, 2},  {"U16", DType::kBytes, 2},      {"I32", DType::kBytes, 4},
    {"U32", DType::kBytes, 4},  {"I64", DType::kBytes, 8},      {"U64", DType::kBytes, 8},
};

std::vector<uint64_t> numbers(const json& tensor, const char* key) {
  std::vector<uint64_t> result;
  const auto found = tensor.find(key);
  if (found == tensor.end() || !found->is_array())
    throw Error("a tensor of its .safetensors header has no {}", key);
  for (const json& number : *found) {
    if (!number.is_number_unsigned())
      throw Error("a tensor of its .safetensors header has a {} that is no number", key);
    result.push_back(number.get<uint64_t>());
  }
  return result;
}

// A tensor's place among the data.
Piece piece_of(const json& tensor, size_t data_bytes) {
  if (!tensor.is_object()) throw Error("a tensor of its .safetensors header is no object");
  const std::vector<uint64_t> ends = numbers(tensor, "data_offsets");
  if (ends.size() != 2 || ends[0] > ends[1] || ends[1] > data_bytes) {
    throw Error("a tensor of its .safetensors header lies outside the file; is it complete?");
  }
  const size_t bytes = ends[1] - ends[0];
  const auto name = tensor.find("dtype");
  if (name == tensor.end() || !name->is_string())
    throw Error("a tensor of its .safetensors header has no dtype");
  const auto* const known =
      std::find_if(std::begin(kStoredTypes), std::end(kStoredTypes),
                   [&](const auto& type) { return type.name == name->get_ref<const std::string&>(); });
  if (known == std::end(kStoredTypes)) return {ends[0], bytes, std::nullopt, true};
  if (bytes_of_shape(numbers(tensor, "shape"), known->bytes) != bytes) {
    throw Error("a tensor of its .safetensors header has a shape that does not fit its bytes");
  }
  return {ends[0], bytes, known->type, true};
}

json header_of(std::span<const uint8_t> file, size_t length) {
  const uint8_t* const begin = file.data() + kLengthBytes;
  json header = json::parse(begin, begin + length, nullptr, false);
  if (!header.is_object()) throw Error("its .safetensors header is no JSON object");
  return header;
}

}  // namespace

std::vector<Piece> safetensors_pieces(std::span<const uint8_t> file) {
  uint64_t length = 0;
  if (file.size() < kLengthBytes) throw Error("its .safetensors header is cut off");
  for (size_t i = 0; i < kLengthBytes; ++i) length |= uint64_t{file[i]} << (8 * i);
  if (length > kMostHeaderBytes) throw Error("it is no .safetensors file: a header of {} bytes", length);
  if (length > file.size() - kLengthBytes) throw Error("its .safetensors header is cut off");
  const size_t begin = kLengthBytes + length;
  std::vector<Piece> pieces{{0, begin, std::nullopt, false}};
  const json header = header_of(file, length);
  for (const auto& [name, tensor] : header.items()) {
    if (name != "__metadata__") pieces.push_back(piece_of(tensor, file.size() - begin));
  }
  std::sort(pieces.begin() + 1, pieces.end(), [](const Piece& a, const Piece& b) {
    return std::pair(a.offset, a.bytes) < std::pair(b.offset, b.bytes);
  });
  size_t end = begin;
  for (size_t i = 1; i < pieces.size(); ++i) {
    pieces[i].offset += begin;
    if (pieces[i].offset != end) throw Error("the tensors of its .safetensors header overlap or leave gaps");
    end += pieces[i].bytes;
  }
  if (end != file.size()) throw Error("it goes on for {} bytes behind its last tensor", file.size() - end);
  return pieces;
}

}  // namespace netsense::codec
