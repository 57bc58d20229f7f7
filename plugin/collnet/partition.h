// Which part of a collective's data a rank owns, and in what pieces it travels. Pure arithmetic on arguments
// that are equal on all ranks, so that all cut alike without asking each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace netsense::collnet {

// Elements [begin, end).
struct Range {
  size_t begin = 0;
  size_t end = 0;
  [[nodiscard]] size_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

// A multiple of the groups that quantised blocks are made of (kernels::kGroup): a cut elsewhere would cost a
// scale.
inline constexpr size_t kGranule = 256;
// Elements of a piece: as many f32 as two of the transport's blocks hold by default. Encoding, sending,
// summing and decoding of different pieces overlap.
inline constexpr size_t kPieceElements = 32768;
inline constexpr size_t kPieceBytes = kPieceElements * 4;

inline constexpr size_t piece_elements(size_t element_bytes) {
  return std::min(kPieceElements, kPieceBytes / element_bytes);
}

// The rank's share of `elements`: whole granules, as evenly as these allow.
inline Range even_share(size_t elements, int ranks, int rank) {
  const size_t granules = (elements + kGranule - 1) / kGranule;
  const auto cut = [&](int at) {
    return std::min(elements, granules * static_cast<size_t>(at) / static_cast<size_t>(ranks) * kGranule);
  };
  return {cut(rank), cut(rank + 1)};
}

// Where the rank's part of per_rank elements meets the window that begins at window_offset, counted from the
// window's begin (reduce-scatter and all-gather).
inline Range window_share(size_t per_rank, size_t window_offset, size_t window, int rank) {
  const size_t begin = std::max(window_offset, per_rank * static_cast<size_t>(rank));
  const size_t end = std::min(window_offset + window, per_rank * (static_cast<size_t>(rank) + 1));
  return begin < end ? Range{begin - window_offset, end - window_offset} : Range{};
}

inline size_t pieces(const Range& range, size_t element_bytes) {
  const size_t size = piece_elements(element_bytes);
  return (range.size() + size - 1) / size;
}

inline Range piece(const Range& range, size_t element_bytes, size_t index) {
  const size_t size = piece_elements(element_bytes);
  const size_t begin = range.begin + index * size;
  return {begin, std::min(range.end, begin + size)};
}

}  // namespace netsense::collnet
