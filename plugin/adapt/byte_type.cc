#include "plugin/adapt/byte_type.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace netsense::adapt {
namespace {

using kernels::DType;
using kernels::FloatLayout;

constexpr size_t kPieces = 16;
constexpr size_t kElementsOfPiece = 64;
// Codes need headers, and the entropy of few elements is only estimated.
constexpr double kWorthwhile = 0.95;
constexpr size_t kMostExponents = 2048;

struct Count {
  std::array<uint16_t, kMostExponents> of_exponent{};
  size_t zeros = 0;
  size_t all = 0;
};

void count_piece(const std::byte* data, const FloatLayout& layout, Count* count) {
  const uint64_t exponent_mask = (uint64_t{1} << layout.exponent_bits) - 1;
  const uint64_t magnitude_mask = (uint64_t{1} << (layout.exponent_bits + layout.mantissa_bits)) - 1;
  for (size_t i = 0; i < kElementsOfPiece; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, data + i * layout.bytes, layout.bytes);
    ++count->of_exponent[(bits >> layout.mantissa_bits) & exponent_mask];
    if ((bits & magnitude_mask) == 0) ++count->zeros;
    ++count->all;
  }
}

// In bits, with the correction for small samples of Miller, "Note on the bias of information estimates"
// (1955).
double entropy(const Count& count, size_t exponents) {
  double sum = 0;
  size_t seen = 0;
  const auto all = static_cast<double>(count.all);
  for (size_t i = 0; i < exponents; ++i) {
    if (count.of_exponent[i] == 0) continue;
    const double p = count.of_exponent[i] / all;
    sum -= p * std::log2(p);
    ++seen;
  }
  return sum + static_cast<double>(seen - 1) / (2 * all * std::log(2.0));
}

// Coded bits over raw bits, at best.
double bound(const std::byte* data, size_t bytes, DType type) {
  const FloatLayout layout = kernels::float_layout(type);
  const size_t piece = kElementsOfPiece * layout.bytes;
  const size_t pieces = std::min(kPieces, bytes / piece);
  if (pieces == 0) return 1;
  Count count;
  // Aligned to the element, as the message is.
  const size_t step = bytes / pieces / layout.bytes * layout.bytes;
  for (size_t i = 0; i < pieces; ++i) count_piece(data + i * step, layout, &count);
  const double nonzero = 1 - static_cast<double>(count.zeros) / static_cast<double>(count.all);
  const double bits =
      entropy(count, size_t{1} << layout.exponent_bits) + nonzero * (1 + layout.mantissa_bits);
  return bits / (8 * layout.bytes);
}

}  // namespace

DType guess_type(const void* data, size_t bytes) {
  DType best = DType::kBytes;
  double least = kWorthwhile;
  for (const DType type :
       {DType::kBf16, DType::kF32, DType::kF16, DType::kF64, DType::kF8E4M3, DType::kF8E5M2}) {
    const double found = bound(static_cast<const std::byte*>(data), bytes, type);
    if (found < least) {
      least = found;
      best = type;
    }
  }
  return best;
}

std::optional<kernels::DType> type_of(int nccl_type) {
  switch (nccl_type) {
    case 6:
      return kernels::DType::kF16;
    case 7:
      return kernels::DType::kF32;
    case 8:
      return kernels::DType::kF64;
    case 9:
      return kernels::DType::kBf16;
    case 10:
      return kernels::DType::kF8E4M3;
    case 11:
      return kernels::DType::kF8E5M2;
    default:
      return std::nullopt;
  }
}

bool looks_like_ll(const void* data, size_t bytes) {
  constexpr size_t kLines = 32;
  constexpr size_t kLineBytes = 8;
  if (bytes < kLines * kLineBytes) return false;
  std::array<uint32_t, 2 * kLines> words;
  std::memcpy(words.data(), data, sizeof words);
  const uint32_t flag = words[1];
  bool data_is_flag = true;
  for (size_t i = 0; i < words.size(); i += 2) {
    if (words[i + 1] != flag) return false;
    data_is_flag = data_is_flag && words[i] == flag;
  }
  // Constant data, zeros among them, are no flags.
  return flag != 0 && !data_is_flag;
}

}  // namespace netsense::adapt
