// How the caller's Scratch is used: the state of one sub-block on its way. The vector code reads and writes
// whole registers, so every array is kSlack bytes longer than what it holds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/codec.h"
#include "kernels/cpu/frequencies.h"

namespace netsense::kernels {

constexpr size_t kSlack = 128;
constexpr size_t kMaxPlanes = 6;

// f64 has the most planes, f32 the most bytes in planes; each plane with its own slack.
constexpr size_t kPlaneBytes = kMaxPlanes * (kMaxSubBlockBytes / 8 + kSlack);
static_assert(kPlaneBytes >= 3 * (kMaxSubBlockBytes / 4 + kSlack));

// What is to be coded, or where it is to be put.
struct SubBlock {
  DType type;
  size_t elements;  // at most kMaxSubBlockElements, and kMaxSubBlockBytes in all
};

// What an encoder may write before it knows that the sub-block does not shrink: residuals no larger than the
// elements, symbols of 4 + 4 + 8 bits and one in a bitmap, and a table with headers and states.
constexpr size_t kMaxSymbolBytes = 3;
constexpr size_t kMaxHeadBytes =
    kFloatHeaderBytes + kLevelsHeaderBytes + kRansHeaderBytes + kMaxFrequencyBytes + kRansStateBytes;
constexpr size_t encoding_room(size_t elements, size_t raw_bytes) {
  return raw_bytes + elements * kMaxSymbolBytes + kMaxHeadBytes + kSlack;
}

struct alignas(64) Work {
  uint8_t elements[kMaxSubBlockBytes + kSlack];  // of a sub-block that fills no whole registers
  uint8_t coded[encoding_room(kMaxSubBlockElements, kMaxSubBlockBytes)];
  uint8_t symbols[kMaxSubBlockElements + kSlack];
  uint8_t codes[kMaxSubBlockElements + kSlack];
  uint8_t second[kMaxSubBlockElements + kSlack];  // symbols of level 2
  uint8_t third[kMaxSubBlockElements + kSlack];   // symbols of level 3
  uint8_t high[kMaxSubBlockElements + kSlack];    // the residuals' high fields, a byte each
  uint8_t planes[kPlaneBytes];
  uint8_t has_residual[kMaxSubBlockElements / 8 + kSlack];  // a bit per element
  uint8_t is_other[kMaxSubBlockElements / 8 + kSlack];      // a bit per element that goes to the next level
  uint16_t words[kMaxSubBlockElements + kSlack];
  uint32_t slots[kRansTotal];
  RansSymbol rans[256];
};
static_assert(sizeof(Work) <= sizeof(Scratch));

}  // namespace netsense::kernels
