#include "probe/rtprop_filter.h"

#include <algorithm>

namespace netsense::probe {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kWindow{10};
// Unloaded round trips closer than this are one witness: they may all stand in the same foreign queue.
constexpr milliseconds kEpisode{500};
// Timers and interrupts blur a round trip by this much.
constexpr microseconds kBlur{50};

// Whether two round trips may be of the same path without a queue.
bool alike(Duration one, Duration other) {
  const auto [low, high] = std::minmax(one, other);
  return high <= low + low / 4 + kBlur;
}

}  // namespace

void RtpropFilter::add(Time at, Duration rtt, bool unloaded) {
  if (rtt <= Duration::zero()) return;
  if (value_ == Duration::zero() || rtt < value_) return lower(at, rtt);
  if (alike(rtt, value_)) {
    looked_ = at;
    higher_.clear();
    return;
  }
  if (unloaded) witness(at, rtt);
}

void RtpropFilter::lower(Time at, Duration rtt) {
  value_ = rtt;
  looked_ = at;
  higher_.clear();
}

void RtpropFilter::witness(Time at, Duration rtt) {
  looked_ = at;
  if (!higher_.empty() && at - episode_ < kEpisode) {
    higher_.back() = std::min(higher_.back(), rtt);
  } else {
    episode_ = at;
    higher_.push_back(rtt);
    if (higher_.size() > kWitnesses) higher_.pop_front();
  }
  if (higher_.size() < kWitnesses) return;
  const auto [low, high] = std::minmax_element(higher_.begin(), higher_.end());
  if (!alike(*low, *high)) return;
  value_ = *low;
  higher_.clear();
}

bool RtpropFilter::stale(Time now) const {
  return value_ != Duration::zero() && now - looked_ > kWindow;
}

}  // namespace netsense::probe
