#include "plugin/adapt/congestion.h"

#include <algorithm>
#include <cmath>

namespace netsense::adapt {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Below this a busy machine looks the same: packets wait for their turn on a core.
constexpr microseconds kLeastQueue{1000};
// The share of the time with signs is a moving mean over so long. A busy machine without a bottleneck in the network
// (2 cores, 4 ranks and other work, over an unshaped link) stays below 0.55, a full link is above 0.9.
constexpr milliseconds kMemory{30};
constexpr double kEnough = 0.65;
// Coding thins the signs out without the network being any wider.
constexpr double kStill = 0.35;
// Nobody looks while there is nothing to send; such a pause is no evidence either way.
constexpr milliseconds kLongestStep{5};
constexpr milliseconds kShortestHold{500};
constexpr seconds kLongestHold{30};
// What returns within so many holds had not been over.
constexpr int kSoon = 2;
constexpr double kRateWeight = 1.0 / 8;

bool is_sign(const probe::Estimate& path, bool backed_up) {
  const bool queued = path.network_queue > std::max<probe::Duration>(kLeastQueue, path.rtprop / 2);
  return path.active && path.in_flight_bytes > 0 && path.delivery_rate > 0 && (queued || backed_up);
}

}  // namespace

void Congestion::update(probe::Time now, const probe::Estimate& path, bool backed_up) {
  queue_seconds_ = probe::to_seconds(path.queue_delay());
  const bool sign = is_sign(path, backed_up);
  const auto step = std::clamp<probe::Duration>(looked_ ? now - last_look_ : probe::Duration::zero(),
                                                probe::Duration::zero(), kLongestStep);
  looked_ = true;
  last_look_ = now;
  const double weight = 1 - std::exp(-probe::to_seconds(step) / probe::to_seconds(kMemory));
  share_ += weight * ((sign ? 1 : 0) - share_);
  const bool was_present = present(now);
  if (!sign || share_ < (was_present ? kStill : kEnough)) return;
  if (!seen_) {
    hold_ = kShortestHold;
  } else if (!was_present) {
    const bool soon = now - last_seen_ < kSoon * hold_;
    hold_ = soon ? std::min<probe::Duration>(2 * hold_, kLongestHold) : probe::Duration(kShortestHold);
  }
  rate_ = rate_ == 0 ? path.delivery_rate : rate_ + (path.delivery_rate - rate_) * kRateWeight;
  seen_ = true;
  last_seen_ = now;
}

bool Congestion::present(probe::Time now) const {
  return seen_ && now - last_seen_ <= hold_;
}

}  // namespace netsense::adapt
