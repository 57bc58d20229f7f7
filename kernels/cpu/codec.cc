#include "kernels/cpu/codec.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/backend.h"
#include "kernels/cpu/block_header.h"
#include "kernels/cpu/bytes.h"

namespace netsense::kernels {
namespace {

constexpr size_t kSizeBytes = sizeof(uint16_t);  // an entry of the directory

size_t write_raw(DType type, const uint8_t* src, size_t bytes, uint8_t* dst) {
  const size_t head = write_header({BlockKind::kRaw, type, 0, static_cast<uint32_t>(bytes)}, dst);
  if (bytes != 0) std::memcpy(dst + head, src, bytes);
  return head + bytes;
}

// The elements of a block in sub-blocks of 2^log2.
struct Division {
  size_t element_bytes;
  size_t elements;
  size_t step;
  size_t sub_blocks;
  size_t tail_bytes;

  Division(DType type, size_t bytes, unsigned log2)
      : element_bytes(float_layout(type).bytes),
        elements(bytes / element_bytes),
        step(size_t{1} << log2),
        sub_blocks((elements + step - 1) / step),
        tail_bytes(bytes % element_bytes) {}

  size_t elements_of(size_t sub_block) const { return std::min(step, elements - sub_block * step); }
  size_t offset_of(size_t sub_block) const { return sub_block * step * element_bytes; }
};

// 0 where the floats take no less than the bytes themselves.
size_t write_floats(const Backend& backend, Tier tier, DType type, const uint8_t* src, size_t bytes,
                    uint8_t* dst, Work& work) {
  const FloatLayout layout = float_layout(type);
  const uint8_t log2 = tier == Tier::kFast ? layout.levels_log2 : layout.rans_log2;
  const Division parts(type, bytes, log2);
  const size_t limit = kBlockHeaderBytes + bytes;
  const size_t head = write_header({BlockKind::kFloat, type, log2, static_cast<uint32_t>(bytes)}, dst);
  uint8_t* directory = dst + head;
  size_t at = head + parts.sub_blocks * kSizeBytes;
  if (at > limit) return 0;
  for (size_t i = 0; i < parts.sub_blocks; ++i) {
    const SubBlock what{type, parts.elements_of(i)};
    const uint8_t* const elements = src + parts.offset_of(i);
    const size_t raw_bytes = what.elements * parts.element_bytes;
    // In place where there is room for whatever it may write.
    uint8_t* const out = limit - at >= encoding_room(what.elements, raw_bytes) ? dst + at : work.coded;
    const size_t coded = backend.encode_sub_block(tier, what, elements, work, out);
    const size_t stored = coded != 0 ? coded : 1 + raw_bytes;
    if (at + stored > limit) return 0;
    if (coded != 0) {
      if (out == work.coded) std::memcpy(dst + at, work.coded, coded);
    } else {
      dst[at] = static_cast<uint8_t>(SubBlockMode::kRaw);
      std::memcpy(dst + at + 1, elements, raw_bytes);
    }
    store_le(directory + i * kSizeBytes, static_cast<uint16_t>(stored));
    at += stored;
  }
  if (at + parts.tail_bytes >= limit) return 0;
  std::memcpy(dst + at, src + bytes - parts.tail_bytes, parts.tail_bytes);
  return at + parts.tail_bytes;
}

DecodeStatus read_floats(const Backend& backend, const Header& header, const uint8_t* src, size_t bytes,
                         uint8_t* dst, Work& work) {
  const size_t element_bytes = float_layout(header.type).bytes;
  if (header.parameter >= 14 || element_bytes << header.parameter > kMaxSubBlockBytes) {
    return DecodeStatus::kBadHeader;
  }
  const Division parts(header.type, header.raw_bytes, header.parameter);
  size_t at = parts.sub_blocks * kSizeBytes;
  if (bytes < at) return DecodeStatus::kTruncated;
  for (size_t i = 0; i < parts.sub_blocks; ++i) {
    const SubBlock what{header.type, parts.elements_of(i)};
    const size_t coded = load_le<uint16_t>(src + i * kSizeBytes);
    if (bytes - at < coded) return DecodeStatus::kTruncated;
    if (!backend.decode_sub_block(what, src + at, coded, work, dst + parts.offset_of(i)))
      return DecodeStatus::kCorrupt;
    at += coded;
  }
  if (bytes - at < parts.tail_bytes) return DecodeStatus::kTruncated;
  if (bytes - at > parts.tail_bytes) return DecodeStatus::kCorrupt;
  if (parts.tail_bytes != 0) {
    std::memcpy(dst + header.raw_bytes - parts.tail_bytes, src + at, parts.tail_bytes);
  }
  return DecodeStatus::kOk;
}

Work& work_of(Scratch& scratch) {
  return *reinterpret_cast<Work*>(scratch.bytes.data());
}

}  // namespace

size_t encode_raw(DType type, const void* src, size_t bytes, void* dst, size_t capacity) {
  if (bytes > kMaxBlockBytes || capacity < max_coded_bytes(bytes)) return 0;
  return write_raw(type, static_cast<const uint8_t*>(src), bytes, static_cast<uint8_t*>(dst));
}

size_t encode(const Backend& backend, Tier tier, DType type, const void* src, size_t bytes, void* dst,
              size_t capacity, Scratch& scratch) {
  if (bytes > kMaxBlockBytes || capacity < max_coded_bytes(bytes)) return 0;
  const auto* from = static_cast<const uint8_t*>(src);
  auto* to = static_cast<uint8_t*>(dst);
  const auto raw_bytes = static_cast<uint32_t>(bytes);
  const FloatLayout layout = float_layout(type);
  const size_t period = std::min<size_t>(layout.bytes, bytes);
  // memcmp stops at the first difference, so that other data costs nothing.
  if (bytes != 0 && std::memcmp(from, from + period, bytes - period) == 0) {
    if (std::all_of(from, from + period, [](uint8_t byte) { return byte == 0; })) {
      return write_header({BlockKind::kZero, type, 0, raw_bytes}, to);
    }
    if (bytes > period) {
      const size_t head = write_header({BlockKind::kConstant, type, 0, raw_bytes}, to);
      std::memcpy(to + head, from, period);
      return head + period;
    }
  }
  size_t coded = 0;
  if (layout.exponent_bits != 0 && bytes >= layout.bytes) {
    coded = write_floats(backend, tier, type, from, bytes, to, work_of(scratch));
  }
  return coded != 0 ? coded : write_raw(type, from, bytes, to);
}

size_t encode(Tier tier, DType type, const void* src, size_t bytes, void* dst, size_t capacity,
              Scratch& scratch) {
  return encode(*backends().front(), tier, type, src, bytes, dst, capacity, scratch);
}

DecodeStatus decode(const Backend& backend, const void* src, size_t bytes, void* dst, size_t dst_bytes,
                    Scratch& scratch) {
  if (bytes < kBlockHeaderBytes) return DecodeStatus::kTruncated;
  const auto* from = static_cast<const uint8_t*>(src);
  auto* to = static_cast<uint8_t*>(dst);
  Header header;
  if (!read_header(from, &header)) return DecodeStatus::kBadHeader;
  if (header.raw_bytes != dst_bytes) return DecodeStatus::kSizeMismatch;
  from += kBlockHeaderBytes;
  bytes -= kBlockHeaderBytes;
  const FloatLayout layout = float_layout(header.type);
  switch (header.kind) {
    case BlockKind::kRaw:
      if (bytes < dst_bytes) return DecodeStatus::kTruncated;
      if (bytes > dst_bytes) return DecodeStatus::kCorrupt;
      if (bytes != 0) std::memcpy(to, from, bytes);
      return DecodeStatus::kOk;
    case BlockKind::kZero:
      if (bytes != 0) return DecodeStatus::kCorrupt;
      if (dst_bytes != 0) std::memset(to, 0, dst_bytes);
      return DecodeStatus::kOk;
    case BlockKind::kConstant:
      if (bytes < layout.bytes) return DecodeStatus::kTruncated;
      if (bytes > layout.bytes) return DecodeStatus::kCorrupt;
      repeat(from, layout.bytes, to, dst_bytes);
      return DecodeStatus::kOk;
    case BlockKind::kFloat:
      if (layout.exponent_bits == 0) return DecodeStatus::kBadHeader;
      return read_floats(backend, header, from, bytes, to, work_of(scratch));
    case BlockKind::kQuantised:
    case BlockKind::kSparse:
      break;  // not what was coded, bit by bit: decode_lossy() is for those
  }
  return DecodeStatus::kBadHeader;
}

DecodeStatus decode(const void* src, size_t bytes, void* dst, size_t dst_bytes, Scratch& scratch) {
  return decode(*backends().front(), src, bytes, dst, dst_bytes, scratch);
}

const char* describe(DecodeStatus status) {
  switch (status) {
    case DecodeStatus::kOk:
      return "ok";
    case DecodeStatus::kTruncated:
      return "the coded block ends too early";
    case DecodeStatus::kBadHeader:
      return "the block header is not of this format";
    case DecodeStatus::kSizeMismatch:
      return "the coded block holds another number of bytes";
    case DecodeStatus::kCorrupt:
      return "the coded block contradicts itself";
  }
  return "unknown status";
}

}  // namespace netsense::kernels
