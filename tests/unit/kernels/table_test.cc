// The tables behind the coders: frequencies that add up and read back, and levels that cost least.
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/cpu/frequencies.h"
#include "kernels/cpu/levels.h"
#include "tests/catch.h"

namespace netsense::kernels {
namespace {

Counts random_counts(uint64_t seed, size_t symbols, uint32_t most) {
  std::mt19937_64 random(seed);
  Counts counts{};
  for (size_t i = 0; i < symbols; ++i) counts[random() % 256] += 1 + static_cast<uint32_t>(random() % most);
  return counts;
}

size_t total(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), size_t{0});
}

// Where the window of `length` neighbours begins that holds most of all, the lowest of equals, and how many.
struct PlainWindow {
  size_t begin = 0;
  uint32_t elements = 0;
};
PlainWindow plain_window(const std::vector<uint32_t>& counts, size_t length) {
  PlainWindow best;
  for (size_t begin = 0; begin == 0 || begin + length <= counts.size(); ++begin) {
    uint32_t inside = 0;
    for (size_t i = begin; i < std::min(counts.size(), begin + length); ++i) inside += counts[i];
    if (begin == 0 || inside > best.elements) best = {begin, inside};
  }
  return best;
}

// What docs/codecs.md says that an encoder chooses, word by word, every possibility tried.
LevelsChoice plain_dense(const Counts& counts, size_t n) {
  const size_t zeros = counts[kNegativeZero] * 32 > n ? 2 : counts[kPositiveZero] * 32 > n ? 1 : 0;
  size_t first = zeros;
  while (first < 255 && counts[first] == 0) ++first;
  size_t last = 255;
  while (last > first && counts[last] == 0) --last;
  const std::vector<uint32_t> used(&counts[first], &counts[last] + 1);
  LevelsChoice best{{}, UINT64_MAX};
  for (const size_t width1 : {2, 1, 3, 4}) {
    if ((size_t{1} << width1) < 1 + zeros) continue;
    const size_t length1 = (size_t{1} << width1) - 1 - zeros;
    const PlainWindow window1 = plain_window(used, length1);
    std::vector<uint32_t> others = used;
    others.erase(others.begin() + static_cast<ptrdiff_t>(window1.begin),
                 others.begin() + static_cast<ptrdiff_t>(std::min(used.size(), window1.begin + length1)));
    const uint64_t n2 = std::accumulate(others.begin(), others.end(), uint64_t{0});
    for (const size_t width2 : {3, 2, 4, 0}) {
      const size_t length2 = (size_t{1} << width2) - 1;
      const PlainWindow window2 = plain_window(others, length2);
      const uint64_t bits = n * width1 + n2 * width2 + (n2 - window2.elements) * 8;
      if (bits >= best.bits) continue;
      best = {{static_cast<uint8_t>(width1), static_cast<uint8_t>(width2), static_cast<uint8_t>(zeros), false,
               static_cast<uint8_t>(first + window1.begin + length1 - 1),
               static_cast<uint8_t>(first + length1 + window2.begin + length2 - 1)},
              bits};
    }
  }
  return best;
}

LevelsChoice plain_choice(const Counts& counts, size_t n) {
  const LevelsChoice dense = plain_dense(counts, n);
  const size_t zeros = counts[kPositiveZero];
  if (zeros * 4 < n || zeros == n) return dense;
  Counts others = counts;
  others[kPositiveZero] = 0;
  LevelsChoice sparse = plain_dense(others, n - zeros);
  sparse.levels.sparse = true;
  sparse.bits += n;
  return sparse.bits < dense.bits ? sparse : dense;
}

// Exponents as they are in tensors: fewer by about half with each step away from the middle; some zeros.
Counts bell_counts(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::geometric_distribution<int> below(0.2 + static_cast<double>(seed % 7) / 10), above(0.7);
  Counts counts{};
  const size_t middle = seed % 256;
  for (size_t i = 0; i < 20 + seed % 600; ++i) {
    ++counts[(middle + static_cast<size_t>(above(random)) - static_cast<size_t>(below(random))) % 256];
  }
  if (seed % 3 == 0) counts[kPositiveZero] += static_cast<uint32_t>(random() % 600);
  if (seed % 5 == 0) counts[kNegativeZero] += static_cast<uint32_t>(random() % 100);
  return counts;
}

}  // namespace

TEST_CASE("frequencies add up, keep what occurs and read back") {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Counts counts = random_counts(seed, 1 + seed % 300, seed % 3 == 0 ? 1 : 5000);
    const Frequencies frequencies = normalise(counts, total(counts));
    CHECK(std::accumulate(frequencies.begin(), frequencies.end(), 0u) == kRansTotal);
    for (size_t s = 0; s < 256; ++s) REQUIRE((frequencies[s] != 0) == (counts[s] != 0));

    std::array<uint8_t, kMaxFrequencyBytes> bytes;
    const size_t written = write_frequencies(frequencies, bytes.data());
    REQUIRE(written <= bytes.size());
    Frequencies back;
    CHECK(read_frequencies(bytes.data(), written, &back) == written);
    CHECK(back == frequencies);
    for (size_t cut = 0; cut < written; ++cut) REQUIRE(read_frequencies(bytes.data(), cut, &back) == 0);
  }
}

TEST_CASE("frequencies that do not add up are refused") {
  Frequencies back;
  const uint8_t too_few[] = {100, 0, 0, 0, 127};
  CHECK(read_frequencies(too_few, sizeof too_few, &back) == 0);
  const uint8_t too_many[] = {100, 0, 0x80, 16, 1};
  CHECK(read_frequencies(too_many, sizeof too_many, &back) == 0);
  const uint8_t beyond_the_last[] = {255, 1, 0, 0, 0x80, 16, 0};
  CHECK(read_frequencies(beyond_the_last, sizeof beyond_the_last, &back) == 0);
  const uint8_t a_zero_first[] = {1, 0, 0, 0, 0x80, 16};
  CHECK(read_frequencies(a_zero_first, sizeof a_zero_first, &back) == 0);
}

TEST_CASE("the encoder's division is exact") {
  Frequencies frequencies{};
  std::mt19937_64 random(3);
  for (uint32_t frequency = 1; frequency <= kRansTotal; ++frequency) {
    frequencies.fill(0);
    frequencies[7] = static_cast<uint16_t>(frequency);
    std::array<RansSymbol, 256> symbols{};
    make_rans_symbols(frequencies, symbols.data());
    const RansSymbol& symbol = symbols[7];
    const uint64_t end = uint64_t{frequency} << (32 - kRansBits);
    for (int i = 0; i < 50; ++i) {
      const uint64_t x = i == 0 ? end - 1 : i == 1 ? frequency * (end / frequency - 1) : random() % end;
      const auto quotient =
          static_cast<uint32_t>(static_cast<unsigned __int128>(x) * symbol.reciprocal >> 64);
      const auto next = static_cast<uint32_t>(x + symbol.bias + quotient * symbol.complement);
      REQUIRE(next == x / frequency * kRansTotal + x % frequency);
    }
  }
}

TEST_CASE("levels are chosen for the symbols there are") {
  Counts counts{};
  counts[120] = 400;
  counts[119] = 300;
  counts[118] = 200;
  counts[117] = 60;
  counts[116] = 40;
  const LevelsChoice choice = choose_levels(counts, 1000);
  CHECK(choice.levels.width1 == 2);
  CHECK(choice.levels.zeros == 0);
  CHECK(choice.levels.top1 == 120);
  CHECK(choice.levels.width2 == 2);
  CHECK(choice.bits == 2 * 1000 + 2 * 100);

  counts[kPositiveZero] = 200;
  CHECK(choose_levels(counts, 1200).levels.zeros == 1);
  CHECK(!choose_levels(counts, 1200).levels.sparse);
  counts[kNegativeZero] = 200;
  CHECK(choose_levels(counts, 1400).levels.zeros == 2);
  counts[kNegativeZero] = 0;
  counts[kPositiveZero] = 2000;
  CHECK(choose_levels(counts, 3000).levels.sparse);
  CHECK(choose_levels(counts, 3000).bits == 3000 + 2 * 1000 + 2 * 100);
}

TEST_CASE("levels are chosen as documented, so that every encoder writes the same bytes") {
  size_t sparse = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    CAPTURE(seed);
    const Counts counts =
        seed % 4 == 0 ? random_counts(seed, 1 + seed % 300, 1 + seed % 3) : bell_counts(seed);
    const LevelsChoice found = choose_levels(counts, total(counts));
    const LevelsChoice expected = plain_choice(counts, total(counts));
    REQUIRE(found.bits == expected.bits);
    REQUIRE(pack_widths(found.levels) == pack_widths(expected.levels));
    REQUIRE(found.levels.top1 == expected.levels.top1);
    REQUIRE(found.levels.top2 == expected.levels.top2);
    sparse += found.levels.sparse ? 1 : 0;
  }
  CHECK(sparse > 50);
}

TEST_CASE("widths read back, and those that mean nothing are refused") {
  size_t valid = 0;
  for (unsigned packed = 0; packed < 256; ++packed) {
    Levels levels{};
    if (!unpack_widths(static_cast<uint8_t>(packed), &levels)) continue;
    ++valid;
    CHECK(pack_widths(levels) == packed);
    CHECK(levels.zeros <= levels.other1());
  }
  // Four widths of level 1, five of level 2, zeros 0 to 2, but not two zeros in a code of one bit; sparse or
  // not.
  CHECK(valid == 2 * (4 * 5 * 3 - 5));
}

}  // namespace netsense::kernels
