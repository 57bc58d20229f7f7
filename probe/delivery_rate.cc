#include "probe/delivery_rate.h"

#include <algorithm>

namespace netsense::probe {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShortestSpan{20};
constexpr int kRoundTrips = 2;
// Deliveries closer than this part of the span are counted as one: bounds the memory.
constexpr int kPartsPerSpan = 64;

}  // namespace

void DeliveryRate::add(Time at, uint64_t delivered_bytes, bool empty, Duration rtt) {
  span_ = std::max<Duration>(kShortestSpan, kRoundTrips * rtt);
  if (deliveries_.size() > 1 && at - (deliveries_.end() - 2)->at < span_ / kPartsPerSpan) {
    Delivery& last = deliveries_.back();
    empty_ += static_cast<size_t>(empty && !last.empty);
    last = {at, delivered_bytes, last.empty || empty};
  } else {
    empty_ += static_cast<size_t>(empty && !deliveries_.empty());
    deliveries_.push_back({at, delivered_bytes, empty});
  }
  while (deliveries_.size() > 2 && at - deliveries_[1].at >= span_) {
    deliveries_.pop_front();
    empty_ -= static_cast<size_t>(deliveries_.front().empty);
  }
  const Duration covered = at - deliveries_.front().at;
  if (covered < span_ / 2) return;
  const double sample =
      static_cast<double>(delivered_bytes - deliveries_.front().bytes) / to_seconds(covered);
  rate_ = empty_ == 0 ? sample : std::max(rate_, sample);
}

double DeliveryRate::bytes_per_second(uint64_t in_flight_bytes, Duration waiting) const {
  if (in_flight_bytes == 0 || waiting < span_) return rate_;
  return std::min(rate_, static_cast<double>(in_flight_bytes) / to_seconds(waiting));
}

}  // namespace netsense::probe
