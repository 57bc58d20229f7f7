#include "kernels/cpu/frequencies.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace netsense::kernels {
namespace {

constexpr unsigned kShortFrequencyBits = 7;
constexpr uint8_t kLongFrequency = 0x80;

uint8_t* write_frequency(uint16_t frequency, uint8_t* out) {
  if (frequency < kLongFrequency) {
    *out++ = static_cast<uint8_t>(frequency);
  } else {
    *out++ = static_cast<uint8_t>(frequency | kLongFrequency);
    *out++ = static_cast<uint8_t>(frequency >> kShortFrequencyBits);
  }
  return out;
}

}  // namespace

Counts count_symbols(const uint8_t* symbols, size_t n) {
  // Some tables, so that a run of one symbol does not wait for its own last increment.
  constexpr size_t kTables = 4;
  std::array<std::array<uint16_t, 256>, kTables> tables{};
  size_t i = 0;
  for (; i + kTables <= n; i += kTables) {
    for (size_t table = 0; table < kTables; ++table) ++tables[table][symbols[i + table]];
  }
  for (; i < n; ++i) ++tables[0][symbols[i]];
  Counts counts;
  for (size_t s = 0; s < counts.size(); ++s) {
    counts[s] = 0;
    for (const auto& table : tables) counts[s] += table[s];
  }
  return counts;
}

Frequencies normalise(const Counts& counts, size_t n) {
  Frequencies frequencies{};
  int32_t rest = kRansTotal;
  for (size_t s = 0; s < 256; ++s) {
    if (counts[s] == 0) continue;
    const uint64_t scaled = (uint64_t{counts[s]} * kRansTotal + n / 2) / n;
    frequencies[s] = static_cast<uint16_t>(std::max<uint64_t>(scaled, 1));
    rest -= frequencies[s];
  }
  // What rounding left over goes to the most frequent, which feels it least; more than it has is taken from
  // the next.
  while (rest != 0) {
    uint16_t& most = *std::max_element(frequencies.begin(), frequencies.end());
    const int32_t change = std::max(rest, 1 - static_cast<int32_t>(most));
    most = static_cast<uint16_t>(most + change);
    rest -= change;
  }
  return frequencies;
}

void make_rans_symbols(const Frequencies& frequencies, RansSymbol* symbols) {
  uint32_t start = 0;
  for (size_t s = 0; s < 256; ++s) {
    const uint32_t frequency = frequencies[s];
    if (frequency == 0) continue;
    const uint32_t complement = kRansTotal - frequency;
    // The reciprocal is rounded up, which is exact for 32-bit dividends (D. Lemire et al., "Faster remainder
    // by direct computation", 2019). That of 1 does not fit: its product is x - 1, and the bias makes up for
    // it.
    const bool one = frequency == 1;
    const uint64_t reciprocal =
        one ? std::numeric_limits<uint64_t>::max() : std::numeric_limits<uint64_t>::max() / frequency + 1;
    symbols[s] = {reciprocal, start + (one ? complement : 0), static_cast<uint16_t>(frequency),
                  static_cast<uint16_t>(complement)};
    start += frequency;
  }
}

void make_slots(const Frequencies& frequencies, uint32_t* slots) {
  for (uint32_t s = 0; s < 256; ++s) {
    uint32_t entry = s | uint32_t{frequencies[s]} << kSlotFrequencyShift;
    for (uint32_t place = 0; place < frequencies[s]; ++place, entry += 1u << kSlotPlaceShift)
      *slots++ = entry;
  }
}

size_t write_frequencies(const Frequencies& frequencies, uint8_t* out) {
  size_t first = kFirstSymbol;
  while (first < 255 && frequencies[first] == 0) ++first;
  size_t last = 255;
  while (last > first && frequencies[last] == 0) --last;
  uint8_t* at = out;
  *at++ = static_cast<uint8_t>(first);
  *at++ = static_cast<uint8_t>(last - first);
  at = write_frequency(frequencies[kPositiveZero], at);
  at = write_frequency(frequencies[kNegativeZero], at);
  for (size_t s = first; s <= last; ++s) at = write_frequency(frequencies[s], at);
  return static_cast<size_t>(at - out);
}

size_t read_frequencies(const uint8_t* in, size_t bytes, Frequencies* frequencies) {
  frequencies->fill(0);
  if (bytes < 2) return 0;
  const size_t first = in[0];
  const size_t symbols = size_t{in[1]} + 1;
  if (first < kFirstSymbol || first + symbols > 256) return 0;
  size_t at = 2;
  uint32_t total = 0;
  for (size_t i = 0; i < symbols + kFirstSymbol; ++i) {
    if (at == bytes) return 0;
    uint32_t frequency = in[at++];
    if ((frequency & kLongFrequency) != 0) {
      if (at == bytes) return 0;
      frequency = (frequency & ~uint32_t{kLongFrequency}) | uint32_t{in[at++]} << kShortFrequencyBits;
    }
    total += frequency;
    if (total > kRansTotal) return 0;
    (*frequencies)[i < kFirstSymbol ? i : first + i - kFirstSymbol] = static_cast<uint16_t>(frequency);
  }
  return total == kRansTotal ? at : 0;
}

}  // namespace netsense::kernels
