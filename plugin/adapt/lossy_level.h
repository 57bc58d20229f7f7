// How finely gradients are coded: the levels there are, and what each costs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace netsense::adapt {

struct LossyLevel {
  bool lossless = true;
  // Of the others only.
  uint8_t bits = 8;  // of a value that is sent, 2 to 8
  float keep = 1;    // part of the elements that is sent, the largest ones; 1: all of them
  float prune = 0;   // part of the elements that is dropped before, for being small

  bool operator==(const LossyLevel&) const = default;
};

// What is to be coded.
struct LossyData {
  size_t element_bytes = 4;
  double lossless_ratio = 1;  // what lossless coding makes of it
  bool allow_sparse = true;   // false: nobody can make up later for what is left out
};

// Bits that a level sends per element, expected (docs/adaptive.md). Dense: the code and a 16-bit scale per
// 256 elements. Sparse: that of those kept, and their places: a bitmap, or gaps that take about the entropy
// of a place, log2(1/keep) + log2(e), rounded up by the field's whole bits.
double wire_bits(const LossyLevel& level);

// Bytes sent per byte of data of elements so large; 1 for the lossless level, as it may not shrink.
double expected_ratio(const LossyLevel& level, size_t element_bytes);

// The finest level that sends at most `ratio` bytes per byte of data. Where no level is so small, and where
// it would be below min_ratio, the coarsest one there is or that is not.
LossyLevel finest_within(double ratio, double min_ratio, const LossyData& data);

// The level for data of which nothing may be left out: all elements, with 4 bits at least.
LossyLevel without_leaving_out(const LossyLevel& level);

}  // namespace netsense::adapt
