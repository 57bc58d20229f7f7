#include "kernels/cpu/levels.h"

#include <algorithm>
#include <span>

namespace netsense::kernels {
namespace {

// A zero gets a code of its own when more than one element in this many is one.
constexpr size_t kWorthACode = 32;

// A bitmap of the zeros cannot pay when fewer than one element in this many is one.
constexpr size_t kWorthABitmap = 4;

// Bits that whatever is not coded in level 1 takes at least.
constexpr uint64_t kLeastPerOther = 2;

// Sums of counts: of an alphabet of n symbols, sums[i] is how often the first i occur, n + 1 of them.
using Sums = std::span<const int32_t>;

struct Window {
  size_t begin = 0;
  uint32_t elements = 0;
};

// The `length` neighbours that occur most often together; the lowest of equals. Two loops, because neither of
// them has a branch that depends on the data until the end.
Window best_window(Sums sums, size_t length) {
  const size_t symbols = sums.size() - 1;
  if (length >= symbols) return {0, static_cast<uint32_t>(sums[symbols])};
  const int32_t* const below = sums.data();
  const int32_t* const above = below + length;
  int32_t most = 0;
  for (size_t i = 0; i <= symbols - length; ++i) most = std::max(most, above[i] - below[i]);
  size_t begin = 0;
  while (above[begin] - below[begin] != most) ++begin;
  return {begin, static_cast<uint32_t>(most)};
}

// Whether all of the eight counts from here on are 0.
bool eight_unused(const uint32_t* counts) {
  uint32_t any = 0;
  for (size_t i = 0; i < 8; ++i) any |= counts[i];
  return any == 0;
}

// The symbols from `first` up that occur, without those at the ends that do not; one at least.
struct Alphabet {
  size_t first;
  size_t size;
};
Alphabet used_symbols(const Counts& counts, size_t first) {
  size_t end = counts.size();
  while (first + 8 < end && eight_unused(&counts[first])) first += 8;
  while (first + 1 < end && counts[first] == 0) ++first;
  while (first + 8 < end && eight_unused(&counts[end - 8])) end -= 8;
  while (first + 1 < end && counts[end - 1] == 0) --end;
  return {first, end - first};
}

// The cheapest codes without a bitmap of zeros.
LevelsChoice choose_dense(const Counts& counts, size_t n) {
  const uint8_t zeros = counts[kNegativeZero] * kWorthACode > n   ? 2
                        : counts[kPositiveZero] * kWorthACode > n ? 1
                                                                  : 0;
  size_t in_zeros = 0;
  for (size_t s = 0; s < zeros; ++s) in_zeros += counts[s];
  const auto [first, size] = used_symbols(counts, zeros);
  std::array<int32_t, 257> sums;
  sums[0] = 0;
  for (size_t i = 0; i < size; ++i) sums[i + 1] = sums[i] + static_cast<int32_t>(counts[first + i]);

  LevelsChoice best{{}, UINT64_MAX};
  // The likely ones first, so that the others can be left early.
  for (const unsigned width1 : {2u, 1u, 3u, 4u}) {
    if (zeros == 2 && width1 == 1) continue;
    Levels levels{static_cast<uint8_t>(width1), 0, zeros, false, 0, 0};
    const size_t length1 = levels.window1();
    const Window window1 = best_window(Sums(sums.data(), size + 1), length1);
    levels.top1 = static_cast<uint8_t>(first + window1.begin + length1 - 1);
    const size_t rest1 = n - in_zeros - window1.elements;
    if (uint64_t{n} * width1 + rest1 * kLeastPerOther >= best.bits) continue;

    // Without the window of level 1.
    std::array<int32_t, 257> rest;
    const size_t left = size - std::min(size, length1);
    std::copy_n(sums.begin(), std::min(window1.begin, left) + 1, rest.begin());
    for (size_t i = window1.begin + 1; i <= left; ++i) {
      rest[i] = sums[i + length1] - static_cast<int32_t>(window1.elements);
    }

    for (const unsigned width2 : {3u, 2u, 4u, 0u}) {
      if (uint64_t{n} * width1 + rest1 * width2 >= best.bits) continue;
      levels.width2 = static_cast<uint8_t>(width2);
      const size_t length2 = levels.other2();
      const Window window2 = length2 == 0 ? Window{} : best_window(Sums(rest.data(), left + 1), length2);
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
