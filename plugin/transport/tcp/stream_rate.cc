#include "plugin/transport/tcp/stream_rate.h"

#include <algorithm>

namespace netsense::tcp {
namespace {

// Shorter spans measure the bursts of acknowledgements rather than the path.
constexpr std::chrono::milliseconds kMinSpan{5};
constexpr double kWeight = 0.3;  // of a new sample
// A short burst may pass a shaper much faster than it lets the stream go on, so a burst alone raises the estimate
// only so far; where the path really is faster, many samples follow each other.
constexpr double kMaxRaise = 1.5;

}  // namespace

void StreamRate::update(Time now, uint64_t written, uint64_t unacknowledged) {
  const uint64_t acknowledged = written - std::min(written, unacknowledged);
  if (unacknowledged == 0) ran_dry_ = true;
  if (!started_) {
    started_ = true;
    since_ = now;
    acknowledged_ = acknowledged;
    ran_dry_ = unacknowledged == 0;
    return;
  }
  if (now - since_ < kMinSpan) return;
  const double seconds = std::chrono::duration<double>(now - since_).count();
  const double sample = static_cast<double>(acknowledged - std::min(acknowledged, acknowledged_)) / seconds;
  if (rate_ == 0) {
    rate_ = sample;
  } else if (ran_dry_ && sample > rate_) {
    rate_ = std::min(sample, kMaxRaise * rate_);
  } else if (!ran_dry_) {
    rate_ += kWeight * (sample - rate_);
  }
  since_ = now;
  acknowledged_ = acknowledged;
  ran_dry_ = unacknowledged == 0;
}

}  // namespace netsense::tcp
