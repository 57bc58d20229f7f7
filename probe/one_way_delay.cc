#include "probe/one_way_delay.h"

#include <algorithm>
#include <chrono>

namespace netsense::probe {
namespace {

using std::chrono::minutes;

constexpr int64_t kSecondsKept = 60;
// Less does not tell drift from queue.
constexpr double kShortestFit = 10;
// Crystals are off by less than 100 ppm each, and clocks are slewed by at most 500 ppm (NTP, RFC 5905).
constexpr double kMostDrift = 500e-6;
constexpr minutes kLongestSilence{30};

using Point = std::pair<double, double>;

// Whether b lies on or above the straight line from a to c.
bool above(const Point& a, const Point& b, const Point& c) {
  return (b.second - a.second) * (c.first - a.first) >= (c.second - a.second) * (b.first - a.first);
}

}  // namespace

Duration OneWayDelay::add(Time received, uint32_t sent_us) {
  if (!started_ || received - last_received_ > kLongestSilence || received < last_received_) {
    restart(received, sent_us);
  }
  sent_since_start_us_ += static_cast<int32_t>(sent_us - last_sent_us_);
  last_sent_us_ = sent_us;
  last_received_ = received;
  const double at = to_seconds(received - start_);
  const double delay = at - static_cast<double>(sent_since_start_us_) * 1e-6;
  keep({static_cast<int64_t>(at), at, delay});
  variation_ = from_seconds(std::max(0.0, delay - (base_ + drift_ * at)));
  return variation_;
}

void OneWayDelay::restart(Time received, uint32_t sent_us) {
  started_ = true;
  start_ = last_received_ = received;
  last_sent_us_ = sent_us;
  sent_since_start_us_ = 0;
  quickest_.clear();
  base_ = drift_ = 0;
}

void OneWayDelay::keep(const Quickest& frame) {
  const bool new_second = quickest_.empty() || quickest_.back().second != frame.second;
  if (new_second) {
    quickest_.push_back(frame);
    while (quickest_.front().second <= frame.second - kSecondsKept) quickest_.pop_front();
  } else if (frame.delay < quickest_.back().delay) {
    quickest_.back() = frame;
  }
  // A frame above the line changes nothing before its second is over.
  if (new_second || frame.delay < base_ + drift_ * frame.at) fit();
}

void OneWayDelay::fit() {
  double mean = 0;
  hull_.clear();
  for (const Quickest& frame : quickest_) {
    const Point point{frame.at, frame.delay};
    mean += frame.at / static_cast<double>(quickest_.size());
    while (hull_.size() > 1 && above(hull_[hull_.size() - 2], hull_.back(), point)) hull_.pop_back();
    hull_.push_back(point);
  }
  drift_ = 0;
  if (quickest_.back().at - quickest_.front().at >= kShortestFit) {
    size_t right = 1;
    while (right + 1 < hull_.size() && hull_[right].first < mean) ++right;
    const auto& [left_at, left_delay] = hull_[right - 1];
    drift_ = (hull_[right].second - left_delay) / (hull_[right].first - left_at);
  }
  drift_ = std::clamp(drift_, -kMostDrift, kMostDrift);
  base_ = hull_.front().second - drift_ * hull_.front().first;
  for (const auto& [at, delay] : hull_) base_ = std::min(base_, delay - drift_ * at);
}

}  // namespace netsense::probe
