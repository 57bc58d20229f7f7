// The probabilities of symbols as rANS needs them: integers that add up to kRansTotal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/format.h"

namespace netsense::kernels {

using Counts = std::array<uint32_t, 256>;
using Frequencies = std::array<uint16_t, 256>;

// How often each of n bytes occurs; n is at most 65535.
Counts count_symbols(const uint8_t* symbols, size_t n);

// Scales counts, of which at least one is not 0, to a sum of kRansTotal. What occurs keeps at least 1.
Frequencies normalise(const Counts& counts, size_t n);

// What the encoder needs of a symbol: with x the state, the next is x + bias + (x / frequency) * (total -
// frequency), and the division is the high half of x * reciprocal.
struct RansSymbol {
  uint64_t reciprocal;
  uint32_t bias;
  uint16_t frequency;
  uint16_t complement;
};
void make_rans_symbols(const Frequencies& frequencies, RansSymbol* symbols);

// The decoder's table. Entry: symbol in bits 0 to 7, frequency in bits 8 to 19, place within the symbol's
// slots above.
constexpr unsigned kSlotFrequencyShift = 8;
constexpr unsigned kSlotPlaceShift = 20;
void make_slots(const Frequencies& frequencies, uint32_t* slots);

// The table in the coded bytes, from the first-symbol byte on. Returns the bytes written (at most
// kFrequencyBytes), or read: 0 when they are not all there or do not add up.
constexpr size_t kMaxFrequencyBytes = 2 + 2 * 256;
size_t write_frequencies(const Frequencies& frequencies, uint8_t* out);
size_t read_frequencies(const uint8_t* in, size_t bytes, Frequencies* frequencies);

}  // namespace netsense::kernels
