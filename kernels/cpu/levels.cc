#include "kernels/cpu/levels.h"

#include <algorithm>

namespace netsense::kernels {
namespace {

// A zero gets a code of its own when more than one element in this many is one.
constexpr size_t kWorthACode = 32;

// A bitmap of the zeros cannot pay when fewer than one element in this many is one.
constexpr size_t kWorthABitmap = 4;

// Bits that whatever is not coded in level 1 takes at least.
constexpr uint64_t kLeastPerOther = 2;

struct Window {
  size_t begin = 0;
  uint32_t elements = 0;
};

// The `length` neighbours that occur most often together; the lowest of equals.
Window best_window(const uint32_t* counts, size_t size, size_t length) {
  Window best;
  uint32_t inside = 0;
  for (size_t i = 0; i < std::min(size, length); ++i) inside += counts[i];
  best.elements = inside;
  for (size_t begin = 1; begin + length <= size; ++begin) {
    inside += counts[begin + length - 1] - counts[begin - 1];
    if (inside > best.elements) best = {begin, inside};
  }
  return best;
}

// The cheapest codes without a bitmap of zeros.
LevelsChoice choose_dense(const Counts& counts, size_t n) {
  const uint8_t zeros = counts[kNegativeZero] * kWorthACode > n   ? 2
                        : counts[kPositiveZero] * kWorthACode > n ? 1
                                                                  : 0;
  size_t in_zeros = 0;
  for (size_t s = 0; s < zeros; ++s) in_zeros += counts[s];
  size_t first = zeros;
  while (first < 255 && counts[first] == 0) ++first;
  size_t last = 255;
  while (last > first && counts[last] == 0) --last;
  const size_t size = last - first + 1;

  LevelsChoice best{{}, UINT64_MAX};
  // The likely ones first, so that the others can be left early.
  for (const unsigned width1 : {2u, 1u, 3u, 4u}) {
    if (zeros == 2 && width1 == 1) continue;
    Levels levels{static_cast<uint8_t>(width1), 0, zeros, false, 0, 0};
    const size_t length1 = levels.window1();
    const Window window1 = best_window(&counts[first], size, length1);
    levels.top1 = static_cast<uint8_t>(first + window1.begin + length1 - 1);
    const size_t rest1 = n - in_zeros - window1.elements;
    if (uint64_t{n} * width1 + rest1 * kLeastPerOther >= best.bits) continue;

    std::array<uint32_t, 256> remaining;
    size_t left = std::copy_n(&counts[first], window1.begin, remaining.begin()) - remaining.begin();
    const size_t hole_end = std::min(size, window1.begin + length1);
    left = std::copy(&counts[first] + hole_end, &counts[first] + size, remaining.begin() + left) -
           remaining.begin();

    for (const unsigned width2 : {3u, 2u, 4u, 0u}) {
      if (uint64_t{n} * width1 + rest1 * width2 >= best.bits) continue;
      levels.width2 = static_cast<uint8_t>(width2);
      const size_t length2 = levels.other2();
      const Window window2 = length2 == 0 ? Window{} : best_window(remaining.data(), left, length2);
      const uint64_t bits = uint64_t{n} * width1 + rest1 * width2 + (rest1 - window2.elements) * 8;
      if (bits >= best.bits) continue;
      // The cut alphabet has the symbols below the window of level 1 moved up by its length, to close the
      // hole.
      levels.top2 = static_cast<uint8_t>(first + length1 + window2.begin + length2 - 1);
      best = {levels, bits};
    }
  }
  return best;
}

}  // namespace

uint8_t pack_widths(const Levels& levels) {
  return static_cast<uint8_t>((levels.width1 - 1) | levels.width2 << 2 | levels.zeros << 5 |
                              (levels.sparse ? kSparseBit : 0));
}

bool unpack_widths(uint8_t packed, Levels* levels) {
  levels->width1 = static_cast<uint8_t>((packed & 3) + 1);
  levels->width2 = static_cast<uint8_t>(packed >> 2 & 7);
  levels->zeros = static_cast<uint8_t>(packed >> 5 & 3);
  levels->sparse = (packed & kSparseBit) != 0;
  return levels->width2 <= kMaxLevel2Width && levels->zeros <= 2 && levels->zeros <= levels->other1();
}

LevelsChoice choose_levels(const Counts& counts, size_t n) {
  const LevelsChoice dense = choose_dense(counts, n);
  const size_t zeros = counts[kPositiveZero];
  if (zeros * kWorthABitmap < n || zeros == n) return dense;
  Counts others = counts;
  others[kPositiveZero] = 0;
  LevelsChoice sparse = choose_dense(others, n - zeros);
  sparse.levels.sparse = true;
  sparse.bits += n;
  return sparse.bits < dense.bits ? sparse : dense;
}

}  // namespace netsense::kernels
