// The codes of a kLevels sub-block: which symbols are coded where, and the choice that costs least.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/frequencies.h"

namespace netsense::kernels {

// Where zeros are many, a bitmap takes them out first (`sparse`), and "every element" is every other one
// below. Level 1 has a code of `width` bits for every element: 0 to zeros-1 are the zeros themselves, then
// the window of symbols from `top` downwards, and the last code means "see level 2". Level 2 is the same for
// those, with the window of level 1 cut out of the alphabet; level 3 is the symbol as a byte. Symbols count
// modulo 256.
struct Levels {
  uint8_t width1;  // 1 to kMaxLevel1Width
  uint8_t width2;  // 0 to kMaxLevel2Width
  uint8_t zeros;   // 0 to 2
  bool sparse;
  uint8_t top1;
  uint8_t top2;

  uint8_t other1() const { return static_cast<uint8_t>((1u << width1) - 1); }
  uint8_t other2() const { return static_cast<uint8_t>((1u << width2) - 1); }
  uint8_t window1() const { return static_cast<uint8_t>(other1() - zeros); }  // symbols in it
};

uint8_t pack_widths(const Levels& levels);
// False when the byte means nothing.
bool unpack_widths(uint8_t packed, Levels* levels);

struct LevelsChoice {
  Levels levels;
  uint64_t bits;  // what the n symbols take, padding apart
};

// The cheapest codes for `n` symbols that occur as often as counted.
LevelsChoice choose_levels(const Counts& counts, size_t n);

// The fast tier chooses by a sample: the first kSampleRun symbols of every kSampleStride.
constexpr size_t kSampleRun = 8;
constexpr size_t kSampleStride = 64;

}  // namespace netsense::kernels
