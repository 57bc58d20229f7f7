// Byte shuffles that gather the lanes of a mask, or scatter to them, eight lanes at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace netsense::kernels {

constexpr uint8_t kNoByte = 0x80;  // a shuffle index that gives 0

template <size_t kBytes>
using ShuffleTable = std::array<std::array<uint8_t, kBytes>, 256>;

// Row m: the set bits of m, lowest first.
constexpr ShuffleTable<8> make_compact_table() {
  ShuffleTable<8> table{};
  for (size_t mask = 0; mask < 256; ++mask) {
    size_t at = 0;
    for (uint8_t bit = 0; bit < 8; ++bit) {
      if ((mask >> bit & 1) != 0) table[mask][at++] = bit;
    }
    while (at < 8) table[mask][at++] = kNoByte;
  }
  return table;
}

// Row m: for lane i of kBytes/8 bytes the source of its bytes, as many lanes in as there are bits set below
// i.
template <size_t kBytes>
constexpr ShuffleTable<kBytes> make_expand_table() {
  constexpr size_t kLaneBytes = kBytes / 8;
  ShuffleTable<kBytes> table{};
  for (size_t mask = 0; mask < 256; ++mask) {
    size_t from = 0;
    for (size_t lane = 0; lane < 8; ++lane) {
      const bool set = (mask >> lane & 1) != 0;
      for (size_t byte = 0; byte < kLaneBytes; ++byte) {
        table[mask][lane * kLaneBytes + byte] = set ? static_cast<uint8_t>(from++) : kNoByte;
      }
    }
  }
  return table;
}

alignas(64) inline constexpr ShuffleTable<8> kCompact = make_compact_table();
alignas(64) inline constexpr ShuffleTable<8> kExpand = make_expand_table<8>();
alignas(64) inline constexpr ShuffleTable<16> kExpandWords = make_expand_table<16>();

}  // namespace netsense::kernels
