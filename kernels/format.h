// The byte layout of a coded block, obeyed by every implementation. docs/codecs.md explains it in prose and
// pictures.
//
// All integers are little-endian. A block is
//   header (8 bytes) | body
// and the body depends on BlockKind. A kFloat body is
//   directory: uint16 per sub-block, its coded bytes | sub-blocks | tail (bytes that fill no element), as
//   they are
// and a sub-block begins with one SubBlockMode byte.
#pragma once

#include <cstddef>
#include <cstdint>

namespace netsense::kernels {

// What the elements are. kBytes: nothing is known, only zero and constant blocks are coded.
enum class DType : uint8_t { kBytes = 0, kF32 = 1, kF16 = 2, kBf16 = 3, kF64 = 4, kF8E4M3 = 5, kF8E5M2 = 6 };
constexpr size_t kDTypes = 7;

enum class BlockKind : uint8_t {
  kRaw = 0,       // body: the bytes
  kZero = 1,      // body: nothing
  kConstant = 2,  // body: one element, which repeats
  kFloat = 3,     // body: directory, sub-blocks, tail
  // Lossy, of kF32 only. Byte 2 of the header is the bits of a code.
  kQuantised = 4,  // body: a scale per group, codes
  kSparse = 5,     // body: SparseHeader, positions, scales, codes of what is kept
};

enum class SubBlockMode : uint8_t {
  kRaw = 0,       // the elements
  kZero = 1,      // nothing
  kConstant = 2,  // one element
  kLevels = 3,    // LevelsHeader, level 1, level 2, level 3, residuals (fast tier)
  kRans = 4,      // RansHeader, frequencies, states, words, residuals (tight tier)
};

// Block header: byte 0 BlockKind, byte 1 DType, byte 2 log2 of the elements of a sub-block or bits of a lossy
// code (0 where there are neither), byte 3 format version, bytes 4 to 7 raw bytes.
constexpr size_t kBlockHeaderBytes = 8;
constexpr uint8_t kFormatVersion = 1;
constexpr size_t kMaxBlockBytes = size_t{1} << 30;

constexpr size_t kMaxSubBlockElements = 8192;
constexpr size_t kMaxSubBlockBytes = 32768;

// How a type is cut. Bits from the top: sign, exponent, mantissa. The residual is the sign followed by the
// mantissa; its low 8 * planes bits are stored as byte planes, the `high_bits` above them as a packed field.
struct FloatLayout {
  uint8_t bytes;  // of an element; 0 where the type is no float
  uint8_t exponent_bits;
  uint8_t mantissa_bits;
  uint8_t planes;
  uint8_t high_bits;
  uint8_t levels_log2;  // log2 of the elements that our encoders put in a kLevels sub-block
  uint8_t rans_log2;    // the same for kRans
};

constexpr FloatLayout float_layout(DType type) {
  switch (type) {
    case DType::kF32:
      return {4, 8, 23, 3, 0, 12, 13};
    case DType::kF16:
      return {2, 5, 10, 1, 3, 12, 13};
    case DType::kBf16:
      return {2, 8, 7, 1, 0, 12, 13};
    case DType::kF64:
      return {8, 11, 52, 6, 5, 12, 12};
    case DType::kF8E4M3:
      return {1, 4, 3, 0, 4, 12, 13};
    case DType::kF8E5M2:
      return {1, 5, 2, 0, 3, 12, 13};
    case DType::kBytes:
      break;
  }
  return {1, 0, 0, 0, 0, 0, 0};
}

// The symbol of an element: kPositiveZero and kNegativeZero have no residual; every other element has symbol
// kFirstSymbol + exponent - base (modulo 256), where base is that of its sub-block, and a residual.
constexpr uint8_t kPositiveZero = 0;
constexpr uint8_t kNegativeZero = 1;
constexpr uint8_t kFirstSymbol = 2;
constexpr uint32_t kSymbolSpan = 256 - kFirstSymbol;  // exponents that a sub-block can tell apart

// After the mode byte of kLevels and kRans: which residual parts are there (bit p: byte plane p, bit 7: the
// high field; what is not there is zero), exponent base, elements with a residual.
constexpr size_t kFloatHeaderBytes = 1 + 1 + 2 + 2;
constexpr uint8_t kHighFieldBit = 0x80;

// kLevels goes on with: widths (bits 0 and 1: width of level 1 less 1; bits 2 to 4: width of level 2; bits 5
// and 6: zeros that have codes of their own in level 1; kSparseBit), top symbol of level 1, top symbol of
// level 2, elements of level 2. With kSparseBit there follow the number of elements that are not +0, and a
// bit for each element that says whether it is one of them, lowest bits first; the levels then hold only
// those.
constexpr size_t kLevelsHeaderBytes = kFloatHeaderBytes + 1 + 1 + 1 + 2;
constexpr uint8_t kSparseBit = 0x80;
constexpr unsigned kMaxLevel1Width = 4;
constexpr unsigned kMaxLevel2Width = 4;

// kRans goes on with: first symbol, number of symbols less 1, then a frequency each: one byte, or two when
// bit 7 of the first is set (low 7 bits first). They add up to kRansTotal.
constexpr size_t kRansHeaderBytes = kFloatHeaderBytes + 1 + 1;
constexpr unsigned kRansBits = 11;
constexpr uint32_t kRansTotal = 1u << kRansBits;
constexpr size_t kRansLanes = 32;        // element i belongs to lane i % 32
constexpr uint32_t kRansLow = 1u << 16;  // a state is in [2^16, 2^32), and kRansLow when a lane has ended
constexpr size_t kRansStateBytes = 4 * kRansLanes;

// A packed field of `width` bits per element. Groups of kGroup elements (the last may be shorter): a group of
// m has L = ceil(m / 8) columns, element i is in column i % L and row i / L. A width is cut in parts of 8, 4,
// 2 and 1 bits, low bits first; a part of b bits takes b bytes per column, byte q holding rows q * 8/b and
// up, lowest bits first.
constexpr size_t kGroup = 256;
constexpr size_t kRows = 8;

constexpr size_t packed_bytes(size_t elements, unsigned width) {
  const size_t rest = elements % kGroup;
  return (elements / kGroup * (kGroup / kRows) + (rest + kRows - 1) / kRows) * width;
}

// A lossy block has at most so many elements, so that a position fits in 16 bits.
constexpr size_t kMaxLossyElements = 65536;
constexpr unsigned kMinLossyBits = 2;
constexpr unsigned kMaxLossyBits = 8;

// The largest magnitude of a code of `bits`. The code of the level q is q + top_level(bits); all bits set is
// none.
constexpr uint32_t top_level(unsigned bits) {
  return (1u << (bits - 1)) - 1;
}

// A scale is the upper half of an f32, which is neither negative nor beyond this, the largest finite one.
constexpr size_t kScaleBytes = 2;
constexpr uint16_t kMaxScale = 0x7f7f;

// Scales, then the codes as a packed field, of so many elements.
constexpr size_t quantised_bytes(size_t elements, unsigned bits) {
  return (elements + kGroup - 1) / kGroup * kScaleBytes + packed_bytes(elements, bits);
}

// kSparse begins with the number of elements kept (4 bytes, 1 or more) and the width of a gap (1 byte; 0: a
// bitmap follows, lowest bits first). With gaps there follow the number of fields (4 bytes) and the packed
// fields. A field of all bits set skips as many elements as it says and keeps none; another skips as many and
// keeps the next.
constexpr size_t kSparseHeaderBytes = 4 + 1;
constexpr size_t kGapCountBytes = 4;
constexpr unsigned kMaxGapWidth = 15;

}  // namespace netsense::kernels
