// Lossless coding of blocks on the CPU. A block is what travels in one network frame.
//
// Nothing here allocates, blocks or keeps state. The coded bytes are the same on every machine and with every
// instruction set. Every bit pattern survives, NaN payloads and negative zeros included.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/format.h"

namespace netsense::kernels {

enum class Tier : uint8_t {
  kFast,   // exponents as short fixed fields
  kTight,  // exponents by rANS: smaller, slower
};

enum class DecodeStatus : uint8_t {
  kOk = 0,
  kTruncated,     // the coded bytes end before the header or the body does
  kBadHeader,     // no header of this format, or one that says impossible things
  kSizeMismatch,  // the block holds another number of bytes than was asked for
  kCorrupt,       // the body contradicts itself
};

// Working memory of one encode or decode call. Its content means nothing between calls.
struct alignas(64) Scratch {
  std::array<std::byte, 192 * 1024> bytes;
};

// The instruction sets this build has code for and this CPU has, best first. Never empty.
struct Backend;
std::span<const Backend* const> backends();
const char* backend_name(const Backend& backend);

// The most bytes that encode() writes for `bytes` of input: never more than the block header on top.
constexpr size_t max_coded_bytes(size_t bytes) {
  return bytes + kBlockHeaderBytes;
}

// Codes src[0, bytes) into dst and returns the coded bytes, or 0 when capacity is below
// max_coded_bytes(bytes) or bytes is above kMaxBlockBytes. src may have any alignment and bytes need not be a
// multiple of the element. src and dst must not overlap.
size_t encode(Tier tier, DType type, const void* src, size_t bytes, void* dst, size_t capacity,
              Scratch& scratch);
size_t encode(const Backend& backend, Tier tier, DType type, const void* src, size_t bytes, void* dst,
              size_t capacity, Scratch& scratch);

// The shortest ways: everything as it is, or only zero and constant blocks recognised (what kBytes gives).
size_t encode_raw(DType type, const void* src, size_t bytes, void* dst, size_t capacity);

// The reverse of encode. dst_bytes must be the size of what was coded. src may hold anything: neither src nor
// dst is touched outside its size. When the status is not kOk, dst holds unspecified bytes.
DecodeStatus decode(const void* src, size_t bytes, void* dst, size_t dst_bytes, Scratch& scratch);
DecodeStatus decode(const Backend& backend, const void* src, size_t bytes, void* dst, size_t dst_bytes,
                    Scratch& scratch);

const char* describe(DecodeStatus status);

}  // namespace netsense::kernels
