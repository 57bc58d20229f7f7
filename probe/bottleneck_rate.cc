#include "probe/bottleneck_rate.h"

#include <algorithm>

namespace netsense::probe {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShortestSpan{1};
// The times of a span's ends are wrong by up to the interval between looks.
constexpr double kLooksPerSpan = 4;
// A delivery that a look finds is often one large frame.
constexpr size_t kDeliveriesPerSpan = 2;
constexpr milliseconds kShortestWindow{150};
constexpr double kWindowRoundTrips = 1.25;
// Kept however old they are; and what it takes for a conclusion.
constexpr size_t kFewestSpans = 8;
constexpr size_t kMostSpans = 512;

constexpr double kFastShare = 0.2;       // of the bytes
constexpr double kOthersBetween = 1.15;  // times the median rate
constexpr double kLookWeight = 1.0 / 16;
// A longer time without a look is a pause, not a habit.
constexpr double kLongestInterval = 0.01;
// Sorting the spans costs some microseconds.
constexpr milliseconds kConcludeEvery{5};

// The rate that `share` of the bytes reached or exceeded. rates: {rate, bytes}, fastest first.
double reached_by(const std::vector<std::pair<double, double>>& rates, double share, double total_bytes) {
  double bytes = 0;
  for (const auto& [rate, weight] : rates) {
    bytes += weight;
    if (bytes >= share * total_bytes) return rate;
  }
  return rates.back().first;
}

}  // namespace

void BottleneckRate::look(Time at) {
  if (last_look_ != Time{}) {
    const double interval = std::min(to_seconds(at - last_look_), kLongestInterval);
    look_interval_ += (look_interval_ == 0 ? 1 : kLookWeight) * (interval - look_interval_);
  }
  last_look_ = at;
}

void BottleneckRate::add(Time at, uint64_t delivered_bytes, bool empty, Duration rtt) {
  look(at);
  deliveries_.push_back({at, delivered_bytes, empty});
  if (!long_enough()) return;
  cut_span();
  forget(at, rtt);
  if (rate_ == 0 || at - concluded_ >= kConcludeEvery) conclude(at);
}

bool BottleneckRate::long_enough() const {
  const Duration span = deliveries_.back().at - deliveries_.front().at;
  return deliveries_.size() > kDeliveriesPerSpan && span >= kShortestSpan &&
         to_seconds(span) >= kLooksPerSpan * look_interval_;
}

// From the first delivery, which only opens the span, to the last. The next span begins in the middle of this
// one, so that a fast stretch is not missed for lying across two.
void BottleneckRate::cut_span() {
  const Delivery& first = deliveries_.front();
  const Delivery& last = deliveries_.back();
  const double bytes = static_cast<double>(last.bytes - first.bytes);
  const bool empty = std::any_of(deliveries_.begin() + 1, deliveries_.end(),
                                 [](const Delivery& delivery) { return delivery.empty; });
  spans_.push_back({last.at, bytes / to_seconds(last.at - first.at), bytes, empty});
  const Time middle = first.at + (last.at - first.at) / 2;
  while (deliveries_.size() > 1 && deliveries_.front().at < middle) deliveries_.pop_front();
}

void BottleneckRate::forget(Time now, Duration rtt) {
  const Duration window =
      std::max<Duration>(kShortestWindow, from_seconds(kWindowRoundTrips * to_seconds(rtt)));
  while (spans_.size() > kFewestSpans && (now - spans_.front().end > window || spans_.size() > kMostSpans)) {
    spans_.pop_front();
  }
}

void BottleneckRate::conclude(Time now) {
  concluded_ = now;
  const auto busy = static_cast<size_t>(
      std::count_if(spans_.begin(), spans_.end(), [](const Span& span) { return !span.empty; }));
  const bool truth = busy >= kFewestSpans;
  if (!truth && spans_.size() < kFewestSpans && rate_ != 0) return;
  sorted_.clear();
  double total = 0;
  for (const Span& span : spans_) {
    if (truth && span.empty) continue;
    sorted_.emplace_back(span.rate, span.bytes);
    total += span.bytes;
  }
  std::sort(sorted_.rbegin(), sorted_.rend());
  const double median = reached_by(sorted_, 0.5, total);
  if (!truth) {
    rate_ = std::max(rate_, median);
    return;
  }
  const double fast = reached_by(sorted_, kFastShare, total);
  rate_ = fast > kOthersBetween * median ? fast : median;
}

}  // namespace netsense::probe
