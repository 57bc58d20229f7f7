#include "plugin/adapt/congestion.h"

#include <algorithm>

namespace netsense::adapt {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Below this a busy machine looks the same: packets wait for their turn on a core.
constexpr microseconds kLeastQueue{1000};
// Looks in a row, so that a single hiccup is none.
constexpr int kLooks = 3;
constexpr milliseconds kShortestHold{500};
constexpr seconds kLongestHold{30};
// What returns within so many holds had not been over.
constexpr int kSoon = 2;
constexpr double kRateWeight = 1.0 / 8;

}  // namespace

void Congestion::update(probe::Time now, const probe::Estimate& path, bool window_limited) {
  queue_seconds_ = probe::to_seconds(path.queue_delay());
  const bool queued = path.network_queue > std::max<probe::Duration>(kLeastQueue, path.rtprop / 2);
  if (!path.active || path.delivery_rate <= 0 || !(queued || window_limited)) {
    in_a_row_ = 0;
    return;
  }
  if (++in_a_row_ < kLooks) return;
  if (!seen_) {
    hold_ = kShortestHold;
  } else if (!present(now)) {
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
