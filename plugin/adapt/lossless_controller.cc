#include "plugin/adapt/lossless_controller.h"

#include <algorithm>
#include <limits>

namespace netsense::adapt {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Another way must be this much better than the present one: estimates are no better, and a change costs.
constexpr double kClearly = 0.92;
// Coding must take less than this part of the time without, or it is not worth the work.
constexpr double kStill = 0.97;
// A trial of one block; the time between two of the same codec.
constexpr milliseconds kTryAgain{250};
constexpr seconds kTryAgainAtMost{30};
// Less than this is not worth a trial soon.
constexpr double kWorthwhile = 0.95;

}  // namespace

bool LosslessController::due(probe::Time now, Action codec) const {
  const CodecRecord& record = records_[index(codec)];
  return !record.known() || now - record.last() >= patience_[index(codec)];
}

double LosslessController::cost(Action action, const Congestion& congestion, size_t bytes) const {
  const auto size = static_cast<double>(bytes);
  const double rate = congestion.wire_rate();
  const double queue = congestion.queue_seconds();
  if (action == Action::kRaw) return raw_seconds(size, rate, queue) - queue;
  const CodecRecord& record = records_[index(action)];
  // Both tiers decode faster than they encode, so the other side, if it is as fast as this one, is not what
  // limits.
  const CodecCost codec{
      .ratio = record.ratio(), .encode_rate = record.encode_rate(), .decode_rate = record.encode_rate()};
  return coded_seconds(size, rate, queue, codec) - queue;
}

double LosslessController::expected(Action action, const Congestion& congestion, size_t bytes) const {
  const bool known =
      congestion.wire_rate() > 0 && (action == Action::kRaw || records_[index(action)].known());
  return known ? cost(action, congestion, bytes) : std::numeric_limits<double>::quiet_NaN();
}

Action LosslessController::choose(probe::Time now, const Congestion& congestion, size_t bytes) {
  if (choice_ != config::CodecChoice::kAuto) {
    reason_ = Reason::kForced;
    return current_ = choice_ == config::CodecChoice::kFast ? Action::kFast : Action::kTight;
  }
  reason_ = Reason::kNotCongested;
  if (!congestion.present(now) || congestion.wire_rate() <= 0) return current_ = Action::kRaw;
  reason_ = Reason::kTrial;
  for (const Action codec : {Action::kFast, Action::kTight}) {
    if (codec != current_ && due(now, codec)) return codec;
  }
  reason_ = Reason::kModel;
  const double raw = cost(Action::kRaw, congestion, bytes);
  const double fast = cost(Action::kFast, congestion, bytes);
  const double tight = cost(Action::kTight, congestion, bytes);
  const bool prefers_tight = current_ == Action::kTight ? tight * kClearly <= fast : tight < kClearly * fast;
  const double least = prefers_tight ? tight : fast;
  if (least >= (current_ == Action::kRaw ? kClearly : kStill) * raw) return current_ = Action::kRaw;
  return current_ = prefers_tight ? Action::kTight : Action::kFast;
}

void LosslessController::coded(probe::Time now, Action codec, size_t raw_bytes, size_t coded_bytes,
                               probe::Duration took) {
  CodecRecord& record = records_[index(codec)];
  probe::Duration& patience = patience_[index(codec)];
  record.add(now, raw_bytes, coded_bytes, took);
  patience = record.ratio() < kWorthwhile
                 ? probe::Duration(kTryAgain)
                 : std::clamp<probe::Duration>(2 * patience, kTryAgain, kTryAgainAtMost);
}

}  // namespace netsense::adapt
