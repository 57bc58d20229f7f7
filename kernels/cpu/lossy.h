// Lossy coding of blocks of f32 on the CPU, for sums of many ranks' values: quantisation to few bits, and
// pruning to the largest elements.
//
// Nothing here allocates, blocks or keeps state. The coded bytes are the same on every machine and with every
// instruction set, as long as the thread's floating-point mode is the default one (round to nearest,
// subnormals kept). Every pointer may have any alignment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/codec.h"
#include "kernels/format.h"

namespace netsense::kernels {

// To which of the two levels that an element lies between it is rounded.
enum class Rounding : uint8_t {
  kStochastic,  // either, so that the expected value is the element's: for what nobody makes up for
  kNearest,     // with the smaller error: for error feedback, which needs an error that is never larger than
                // the element (Karimireddy et al., 2019), and stochastic rounding to few bits has larger ones
};

struct LossyChoice {
  uint8_t bits = 8;            // of a kept value, 2 to 8
  uint32_t keep = UINT32_MAX;  // the largest elements of the block that are kept, at most
  float threshold = 0;         // elements with a smaller magnitude are dropped first; 0 or less: none
  Rounding rounding = Rounding::kStochastic;
  uint64_t seed = 0;  // of the stochastic rounding; another for every block
};

// bytes: coded, 0 where nothing was. The others: sums of squares of what was given and of what was lost.
struct LossyResult {
  size_t bytes;
  double energy;
  double error_energy;
};

// Working memory of one call. Its content means nothing between calls.
struct alignas(64) LossyScratch {
  std::array<std::byte, 896 * 1024> bytes;
};

// The most bytes that encode_lossy() writes.
constexpr size_t max_lossy_bytes(size_t elements) {
  return kBlockHeaderBytes + elements * sizeof(float);
}

// Codes `elements` f32 into dst, and leaves in their place what was lost: value - decoded, rounded to f32.
// Without threshold and keep every element is quantised (kQuantised); otherwise only what is kept is, and the
// others are 0 (kSparse) where that takes fewer bytes. Where neither is smaller than the elements, or one of
// them is NaN, infinite or larger than the largest bf16, the block is one of the lossless fast tier and
// nothing is lost.
//
// A kept element's error is below scale / top_level(bits), where scale is the largest magnitude of its 256,
// rounded up to bf16; rounded stochastically, its expected value differs from the element by less than 2^-15
// of that; to the nearest, the error is at most half of it.
//
// Writes nothing, values included, and gives 0 bytes where capacity is below max_lossy_bytes(elements), there
// are more than kMaxLossyElements, or bits is out of range. values and dst must not overlap.
LossyResult encode_lossy(const LossyChoice& choice, float* values, size_t elements, void* dst,
                         size_t capacity, LossyScratch& scratch);
LossyResult encode_lossy(const Backend& backend, const LossyChoice& choice, float* values, size_t elements,
                         void* dst, size_t capacity, LossyScratch& scratch);

// The reverse, of lossless kF32 blocks too. src may hold anything: neither src nor dst is touched outside its
// size. When the status is not kOk, dst holds unspecified values.
DecodeStatus decode_lossy(const void* src, size_t bytes, float* dst, size_t elements, LossyScratch& scratch);
DecodeStatus decode_lossy(const Backend& backend, const void* src, size_t bytes, float* dst, size_t elements,
                          LossyScratch& scratch);

// The same, added to what is there: sum[i] += decoded[i]. Of a kSparse block only the elements that are kept
// are touched.
DecodeStatus add_lossy(const void* src, size_t bytes, float* sum, size_t elements, LossyScratch& scratch);
DecodeStatus add_lossy(const Backend& backend, const void* src, size_t bytes, float* sum, size_t elements,
                       LossyScratch& scratch);

}  // namespace netsense::kernels
