#include "plugin/adapt/lossy_level.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace netsense::adapt {
namespace {

constexpr double kScaleBits = 16.0 / 256;
constexpr double kGapOverhead = 1.5;
// Half the elements with 4 bits cost what all of them cost with 3, and lose half as much.
constexpr uint8_t kSparseBits = 4;
constexpr double kMostSparse = 0.5;
constexpr double kLeastSparse = 0.005;
constexpr int kStepsOfHalving = 4;
constexpr uint8_t kFinestDense = 8;
constexpr uint8_t kCoarsestDense = 4;
// Coarser, rounding without bias adds too much noise: with 3 bits a sixth of the energy of a normal
// distribution, with 2 more than all of it.
constexpr size_t kDenseLevels = kFinestDense - kCoarsestDense + 1;
constexpr size_t kSparseLevels = 28;

using Ladder = std::array<LossyLevel, kDenseLevels + kSparseLevels>;

// From fine to coarse. The sparse ones are each a sixth smaller than the one before.
Ladder make_ladder() {
  Ladder ladder;
  for (size_t i = 0; i < kDenseLevels; ++i) {
    ladder[i] = {.lossless = false, .bits = static_cast<uint8_t>(kFinestDense - i)};
  }
  for (size_t i = 0; i < kSparseLevels; ++i) {
    const double keep = kMostSparse * std::exp2(-static_cast<double>(i) / kStepsOfHalving);
    ladder[kDenseLevels + i] = {
        .lossless = false, .bits = kSparseBits, .keep = static_cast<float>(std::max(keep, kLeastSparse))};
  }
  return ladder;
}

const Ladder& ladder() {
  static const Ladder kLadder = make_ladder();
  return kLadder;
}

bool allowed(const LossyLevel& level, double min_ratio, const LossyData& data) {
  if (!data.allow_sparse && level.keep < 1) return false;
  return expected_ratio(level, data.element_bytes) >= min_ratio;
}

}  // namespace

double wire_bits(const LossyLevel& level) {
  const double keep = std::min<double>(level.keep, 1.0 - level.prune);
  const double values = level.bits + kScaleBits;
  if (keep >= 1) return values;
  if (keep <= 0) return 0;
  return keep * values + std::min(1.0, keep * (std::log2(1 / keep) + kGapOverhead));
}

double expected_ratio(const LossyLevel& level, size_t element_bytes) {
  if (level.lossless) return 1;
  return wire_bits(level) / (8 * static_cast<double>(element_bytes));
}

LossyLevel finest_within(double ratio, double min_ratio, const LossyData& data) {
  LossyLevel found;  // lossless
  if (ratio >= data.lossless_ratio) return found;
  for (const LossyLevel& level : ladder()) {
    if (!allowed(level, min_ratio, data)) break;
    found = level;
    if (expected_ratio(level, data.element_bytes) <= ratio) break;
  }
  return found;
}

LossyLevel without_leaving_out(const LossyLevel& level) {
  return {.lossless = level.lossless, .bits = std::max(level.bits, kCoarsestDense)};
}

}  // namespace netsense::adapt
