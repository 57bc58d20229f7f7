#include "plugin/adapt/burst_rate.h"

#include <algorithm>

namespace netsense::adapt {
namespace {

// Less of a difference tells nothing over the noise.
constexpr double kClearly = 1.5;
// Some of the time is the link's.
constexpr double kMostOverhead = 0.9;

}  // namespace

void BurstRate::add(const Burst& burst, double seen) {
  const double wire = burst.wire_bytes;
  const double seconds = burst.seconds;
  if (wire <= 0 || seconds <= 0) return;
  if (is_outdated(seen, wire / seconds)) seen = 0;
  if (last_wire_ > 0 && std::max(wire, last_wire_) >= kClearly * std::min(wire, last_wire_)) {
    overhead_ = (seconds * last_wire_ - last_seconds_ * wire) / (last_wire_ - wire);
  }
  // Of two bursts that met different rates nothing could be told, and this one's time was the link's.
  overhead_ = seen > 0 ? 0 : std::clamp(overhead_, 0.0, kMostOverhead * seconds);
  last_wire_ = wire;
  last_seconds_ = seconds;
  const double own = wire / (seconds - overhead_);
  if (seen > 0) latest_ = {};
  latest_[next_] = std::max(own, seen);
  next_ = (next_ + 1) % latest_.size();
}

double BurstRate::rate() const {
  return *std::max_element(latest_.begin(), latest_.end());
}

}  // namespace netsense::adapt
