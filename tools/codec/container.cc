#include "tools/codec/container.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <memory>

#include "tools/codec/error.h"

namespace netsense::codec {
namespace {

constexpr std::array<uint8_t, 4> kMagic{'N', 'S', 'C', 'F'};
constexpr uint8_t kVersion = 1;
constexpr size_t kHeaderBytes = 24;
constexpr size_t kRawBytesAt = 8;
constexpr size_t kChecksumAt = 16;
constexpr size_t kLengthBytes = 4;

void put(uint8_t* to, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) to[i] = static_cast<uint8_t>(value >> (8 * i));
}

uint64_t get(std::span<const uint8_t> from, size_t at, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value |= uint64_t{from[at + i]} << (8 * i);
  return value;
}

void check_header(std::span<const uint8_t> container) {
  if (container.size() < kMagic.size() || !std::equal(kMagic.begin(), kMagic.end(), container.begin())) {
    throw Error("it was not made by netsense-codec compress");
  }
  if (container.size() < kHeaderBytes) throw Error("its header is cut off");
  if (container[4] != kVersion)
    throw Error("it is of version {}; this program knows {}", container[4], kVersion);
  if (get(container, 5, 3) != 0) throw Error("its header is damaged");
}

// Decodes the block at the front of rest onto the end of file, and takes it off rest.
void append_block(std::span<const uint8_t>& rest, uint64_t promised, std::vector<uint8_t>& file,
                  kernels::Scratch& scratch) {
  if (rest.size() < kLengthBytes) throw Error("it is cut off after {} of {} bytes", file.size(), promised);
  const size_t coded = get(rest, 0, kLengthBytes);
  rest = rest.subspan(kLengthBytes);
  if (coded > rest.size()) throw Error("it is cut off after {} of {} bytes", file.size(), promised);
  if (coded < kernels::kBlockHeaderBytes) throw Error("its block at byte {} is damaged", file.size());
  const size_t raw = get(rest, 4, 4);
  if (raw == 0 || raw > kBlockBytes || raw > promised - file.size()) {
    throw Error("its block at byte {} is damaged", file.size());
  }
  const size_t at = file.size();
  file.resize(at + raw);
  const kernels::DecodeStatus status = kernels::decode(rest.data(), coded, file.data() + at, raw, scratch);
  if (status != kernels::DecodeStatus::kOk) {
    throw Error("its block at byte {} is damaged: {}", at, kernels::describe(status));
  }
  rest = rest.subspan(coded);
}

}  // namespace

std::vector<uint8_t> compress(std::span<const uint8_t> file, std::span<const Piece> pieces, DType fallback,
                              kernels::Tier tier) {
  const auto scratch = std::make_unique<kernels::Scratch>();
  std::vector<uint8_t> result(kHeaderBytes);
  std::copy(kMagic.begin(), kMagic.end(), result.begin());
  result[4] = kVersion;
  put(&result[kRawBytesAt], file.size(), 8);
  put(&result[kChecksumAt], XXH3_64bits(file.data(), file.size()), 8);
  for (const Piece& piece : pieces) {
    const DType type = piece.type.value_or(piece.is_data ? fallback : DType::kBytes);
    for (size_t done = 0; done < piece.bytes; done += kBlockBytes) {
      const size_t raw = std::min(kBlockBytes, piece.bytes - done);
      const size_t at = result.size();
      const size_t most = kernels::max_coded_bytes(raw);
      result.resize(at + kLengthBytes + most);
      const size_t coded = kernels::encode(tier, type, file.data() + piece.offset + done, raw,
                                           &result[at + kLengthBytes], most, *scratch);
      put(&result[at], coded, kLengthBytes);
      result.resize(at + kLengthBytes + coded);
    }
  }
  return result;
}

std::vector<uint8_t> decompress(std::span<const uint8_t> container) {
  check_header(container);
  const auto scratch = std::make_unique<kernels::Scratch>();
  const uint64_t promised = get(container, kRawBytesAt, 8);
  std::vector<uint8_t> file;
  std::span<const uint8_t> rest = container.subspan(kHeaderBytes);
  while (file.size() < promised) append_block(rest, promised, file, *scratch);
  if (!rest.empty()) throw Error("it goes on for {} bytes behind its last block", rest.size());
  if (XXH3_64bits(file.data(), file.size()) != get(container, kChecksumAt, 8)) {
    throw Error("its checksum is wrong: it is damaged");
  }
  return file;
}

}  // namespace netsense::codec
