#include "plugin/transport/tcp/stream_rate.h"

#include <algorithm>

namespace netsense::tcp {
namespace {

// Shorter spans measure the bursts of acknowledgements rather than the path.
constexpr std::chrono::milliseconds kMinSpan{2};
constexpr double kWeight = 0.5;  // of a new sample
// A short burst may pass a shaper much faster than it lets the stream go on, so a burst alone raises the
// estimate only so far; where the path really is faster, many samples follow each other.
constexpr double kMaxRaise = 2;

}  // namespace

void StreamRate::update(Time now, uint64_t written, uint64_t unacknowledged) {
  const uint64_t acknowledged = written - std::min(written, unacknowledged);
  // All that was written by the last look is delivered: for a moment there may have been nothing on its way.
  if (acknowledged >= last_written_) ran_dry_ = true;
  last_written_ = written;
  if (!started_) {
    started_ = true;
    return begin(now, written, acknowledged);
  }
  const double seconds = std::chrono::duration<double>(now - since_).count();
  if (seconds <= 0) return;
  if (acknowledged < goal_) {
    if (now - since_ >= kMinSpan) ceiling_ = static_cast<double>(goal_ - acknowledged_) / seconds;
    return;
  }
  const double sample = static_cast<double>(acknowledged - std::min(acknowledged, acknowledged_)) / seconds;
  if (ran_dry_) {
    rate_ = std::max(rate_, std::min(sample, kMaxRaise * rate_));
  } else if (now - since_ < kMinSpan) {
    goal_ = written;
    return;
  } else {
    rate_ = rate_ == 0 ? sample : rate_ + kWeight * (sample - rate_);
  }
  begin(now, written, acknowledged);
}

void StreamRate::begin(Time now, uint64_t written, uint64_t acknowledged) {
  since_ = now;
  acknowledged_ = acknowledged;
  goal_ = written;
  ran_dry_ = acknowledged == written;
  ceiling_ = std::numeric_limits<double>::infinity();
}

double StreamRate::bytes_per_second() const {
  if (rate_ == 0) return ceiling_ == std::numeric_limits<double>::infinity() ? 0 : ceiling_;
  return std::min(rate_, ceiling_);
}

}  // namespace netsense::tcp
