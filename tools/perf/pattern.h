// What the ranks put into a collective. Each rank's buffer repeats one period of elements that every other
// rank can compute too, so the expected result is periodic as well and cheap to check at any size. The period
// is odd: blocks exchanged by mistake lie a multiple of a power of two apart and never look alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/perf/numeric.h"

namespace netsense::perf {

inline constexpr size_t kGeneratedPeriod = 16381;  // elements; a prime

using SharedBytes = std::shared_ptr<const std::vector<std::byte>>;

// An endless repetition of one period of elements; copies share the memory.
class Pattern {
 public:
  explicit Pattern(std::vector<std::byte> period);
  // The first `period` bytes, beginning at byte `shift` of them.
  Pattern(SharedBytes bytes, size_t period, size_t shift);

  [[nodiscard]] size_t period_bytes() const { return period_; }
  // Longest contiguous stretch from this byte of the repetition on; never empty.
  [[nodiscard]] std::span<const std::byte> from(size_t offset) const;
  // Copies the bytes [offset, offset + to.size()) of the repetition.
  void fill(size_t offset, std::span<std::byte> to) const;

 private:
  SharedBytes bytes_;
  size_t period_;
  size_t shift_ = 0;
};

// Arbitrary bit patterns, NaN and infinities included: for collectives that only move data.
[[nodiscard]] Pattern random_bits(const TypeInfo& type, int rank);

// Values for which op gives an exact result in any order and grouping wherever the type allows it: whole
// numbers whose sum over all ranks is exact, few powers of two for products, any finite values for min and
// max.
[[nodiscard]] Pattern reducible_values(const TypeInfo& type, ns_op op, int ranks, int rank);

// Content of a file as elements, for all ranks. Ranks start at different places in it.
class FileData {
 public:
  // Throws UsageError when the file cannot be read. At most the first 64 MiB are used.
  explicit FileData(const std::string& path);
  [[nodiscard]] Pattern pattern(const TypeInfo& type, int ranks, int rank) const;
  // Identifies the content, to make sure that all ranks read the same.
  [[nodiscard]] uint64_t hash() const;

 private:
  std::string path_;
  SharedBytes bytes_;
};

}  // namespace netsense::perf
