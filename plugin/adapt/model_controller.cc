#include "plugin/adapt/model_controller.h"

#include <algorithm>

namespace netsense::adapt {
namespace {

// Of the idle time; headers and rounds of the algorithm take some too.
constexpr double kBudget = 0.9;
constexpr double kRoundTrips = 2;
// A burst may send so many times what the last one did per byte. One that was short shows little of the link:
// a token bucket lets it pass faster than it would let more.
constexpr double kRise = 4;
// Exact again only with so much room. Each time that this turns out to have been too early more is asked for.
constexpr double kLeastRoom = 1.1;
constexpr double kMostRoom = 2;
constexpr size_t kEarly = 32;  // bursts
// Into the burst, for what is seen to be of it.
constexpr std::chrono::milliseconds kTrust{10};
// Less than 1, which means exact.
constexpr double kFinestLossy = 0.999;

}  // namespace

void ModelController::begin(probe::Time now, double raw_bytes) {
  if (const auto before = bursts_.begin(now, raw_bytes)) learn(*before);
  decide(now);
  was_lossy_ = was_lossy_ || lossy_;
}

void ModelController::end(probe::Time begun, probe::Time now, double raw_bytes, double wire_bytes) {
  if (const auto part = bursts_.end(begun, now, raw_bytes, wire_bytes)) learn(*part);
  decide(now);
}

void ModelController::look(probe::Time now, const LinkView& view) {
  looks_ = true;
  rtprop_ = view.rtprop;
  if (view.congested && bursts_.busy()) seen_ = view.bytes_per_second;
  decide(now);
}

void ModelController::learn(const Burst& burst) {
  idle_share_.add(burst);
  burst_rate_.add(burst, seen_);
  if (burst.raw_bytes > 0) ceiling_ = kRise * burst.wire_bytes / burst.raw_bytes;
  // A look in the middle of the burst knew less than is known now.
  lossy_ = lossy_ && was_lossy_;
  was_lossy_ = lossy_ && !burst.over;
  if (!lossy_) ++bursts_exact_;
  was_congested_ = seen_ > 0;
  seen_ = 0;
}

double ModelController::rate(probe::Time now) const {
  // What is seen at first may be what was seen in the burst before.
  const double arrived = bursts_.arrived_rate(now);
  const bool trusted = seen_ > 0 && bursts_.elapsed(now) >= kTrust && !is_outdated(seen_, arrived);
  return trusted ? std::max(seen_, arrived) : burst_rate_.rate();
}

double ModelController::affordable(probe::Time now) const {
  const double bytes_per_second = rate(now);
  const double under_way = bursts_.raw_in_flight();
  if (bytes_per_second <= 0 || under_way <= 0 || !idle_share_.known()) return 1;
  const double queue = std::max(probe::to_seconds(queue_target_), kRoundTrips * probe::to_seconds(rtprop_));
  return std::max(queue * bytes_per_second / under_way,
                  kBudget * bytes_per_second * idle_share_.seconds_per_byte());
}

void ModelController::decide(probe::Time now) {
  const double can = affordable(now);
  if (lossy_) {
    lossy_ = std::min(can / room_, ceiling_) < 1;
    if (!lossy_) bursts_exact_ = 0;
    return;
  }
  // Where the transport looks and sees no congestion, it is not the link that makes bursts long.
  lossy_ = can < 1 && (!looks_ || seen_ > 0 || was_congested_);
  if (lossy_) room_ = bursts_exact_ < kEarly ? std::min(kLeastRoom * room_, kMostRoom) : kLeastRoom;
}

double ModelController::ratio(probe::Time now) const {
  if (!lossy_) return 1;
  return std::clamp(std::min(affordable(now), ceiling_), min_keep_, kFinestLossy);
}

LossyLevel ModelController::level(probe::Time now, const LossyData& data) const {
  return finest_within(ratio(now), min_keep_, data);
}

}  // namespace netsense::adapt
