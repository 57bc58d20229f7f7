#include "plugin/adapt/codec_record.h"

#include <algorithm>

namespace netsense::adapt {
namespace {

constexpr double kWeight = 1.0 / 8;
constexpr double kShortest = 1e-9;  // a clock may stand still

double follow(double old, double now) {
  return old + (now - old) * kWeight;
}

}  // namespace

void CodecRecord::add(probe::Time now, size_t raw_bytes, size_t coded_bytes, probe::Duration took) {
  if (raw_bytes == 0) return;
  const auto raw = static_cast<double>(raw_bytes);
  const double ratio = static_cast<double>(coded_bytes) / raw;
  const double seconds = std::max(probe::to_seconds(took), kShortest) / raw;
  ratio_ = known_ ? follow(ratio_, ratio) : ratio;
  seconds_per_byte_ = known_ ? follow(seconds_per_byte_, seconds) : seconds;
  known_ = true;
  last_ = now;
}

}  // namespace netsense::adapt
