#include "tools/perf/pattern.h"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include "tools/perf/error.h"

namespace netsense::perf {
namespace {

constexpr size_t kLargestFile = size_t{64} << 20;

// SplitMix64 (Steele, Lea, Flood 2014), used as a hash of (rank, index): stateless, so any element can be had
// alone.
uint64_t random_word(int rank, size_t index) {
  uint64_t word = (static_cast<uint64_t>(rank) << 40) + index + 1;
  word *= 0x9E3779B97F4A7C15U;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9U;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBU;
  return word ^ (word >> 31);
}

template <typename Bits>
Pattern generate(const TypeInfo& type, Bits bits) {
  const auto element = static_cast<size_t>(type.bytes);
  std::vector<std::byte> period(kGeneratedPeriod * element);
  for (size_t i = 0; i < kGeneratedPeriod; ++i) store_bits(type, bits(i), period.data() + i * element);
  return Pattern(std::move(period));
}

uint64_t bits_of(const TypeInfo& type, int64_t value) {
  return type.floating ? encode(type, static_cast<double>(value)) : static_cast<uint64_t>(value);
}

// Uniform in [-limit, limit], or [0, limit] for unsigned types.
int64_t whole_number(const TypeInfo& type, int64_t limit, uint64_t word) {
  const auto span = static_cast<uint64_t>(limit) * (type.is_signed ? 2 : 1) + 1;
  return static_cast<int64_t>(word % span) - (type.is_signed ? limit : 0);
}

// Of all ranks only so many contribute a factor other than 1 to one element, so that no type overflows.
constexpr size_t kFactors = 6;

uint64_t factor_bits(const TypeInfo& type, int ranks, int rank, size_t index) {
  const auto slot = (index + static_cast<size_t>(rank)) % static_cast<size_t>(ranks);
  if (slot >= kFactors) return bits_of(type, 1);
  const uint64_t word = random_word(rank, index);
  if (type.floating && word % 4 == 0) return encode(type, 0.5);
  if (type.is_signed && word % 4 == 1) return bits_of(type, -1);
  return bits_of(type, word % 4 == 2 ? 1 : 2);
}

// Any bit pattern that is a finite number other than zero (which of two zeros is larger is a matter of
// taste).
uint64_t finite_bits(const TypeInfo& type, uint64_t word) {
  if (!type.floating) return word;
  const uint64_t lowest_exponent_bit = uint64_t{1} << type.significand_bits;
  const uint64_t sign_bit = lowest_exponent_bit << type.exponent_bits;
  const uint64_t bits = word & (sign_bit | (sign_bit - 1));
  const double value = decode(type, bits);
  if (std::isfinite(value) && value != 0) return bits;
  return bits ^ lowest_exponent_bit;  // leaves the top exponent, or zero
}

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError("--input {}: cannot open the file: {}", path, std::strerror(errno));
  std::vector<std::byte> bytes(kLargestFile);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (file.bad()) throw UsageError("--input {}: cannot read the file: {}", path, std::strerror(errno));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

}  // namespace

Pattern::Pattern(std::vector<std::byte> period)
    : bytes_(std::make_shared<const std::vector<std::byte>>(std::move(period))), period_(bytes_->size()) {}

Pattern::Pattern(SharedBytes bytes, size_t period, size_t shift)
    : bytes_(std::move(bytes)), period_(period), shift_(shift) {}

std::span<const std::byte> Pattern::from(size_t offset) const {
  const size_t at = (offset % period_ + shift_) % period_;
  return std::span(*bytes_).subspan(at, period_ - at);
}

void Pattern::fill(size_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const std::span<const std::byte> stretch = from(offset);
    const size_t part = std::min(to.size(), stretch.size());
    std::memcpy(to.data(), stretch.data(), part);
    to = to.subspan(part);
    offset += part;
  }
}

Pattern random_bits(const TypeInfo& type, int rank) {
  return generate(type, [&](size_t index) { return random_word(rank, index); });
}

Pattern reducible_values(const TypeInfo& type, ns_op op, int ranks, int rank) {
  switch (op) {
    case ns_max:
    case ns_min:
      return generate(type, [&](size_t index) { return finite_bits(type, random_word(rank, index)); });
    case ns_prod:
      return generate(type, [&](size_t index) { return factor_bits(type, ranks, rank, index); });
    default:
      break;
  }
  const double limit = std::min(exact_integer_limit(type), 0x1p62) / ranks;
  const auto whole_limit = std::max<int64_t>(static_cast<int64_t>(limit), 1);
  return generate(type, [&](size_t index) {
    return bits_of(type, whole_number(type, whole_limit, random_word(rank, index)));
  });
}

FileData::FileData(const std::string& path)
    : path_(path), bytes_(std::make_shared<const std::vector<std::byte>>(read_file(path))) {}

Pattern FileData::pattern(const TypeInfo& type, int ranks, int rank) const {
  const auto element = static_cast<size_t>(type.bytes);
  size_t elements = bytes_->size() / element;
  if (elements == 0) {
    throw UsageError("--input {}: {} bytes hold no element of type {}", path_, bytes_->size(), type.name);
  }
  if (elements % 2 == 0) --elements;
  const size_t shift = elements * static_cast<size_t>(rank) / static_cast<size_t>(ranks);
  return Pattern(bytes_, elements * element, shift * element);
}

uint64_t FileData::hash() const {
  return XXH3_64bits(bytes_->data(), bytes_->size());
}

}  // namespace netsense::perf
