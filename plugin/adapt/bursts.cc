#include "plugin/adapt/bursts.h"

#include <algorithm>
#include <utility>

namespace netsense::adapt {
namespace {

using std::chrono::milliseconds;

// Between two calls that follow each other the host needs some time.
constexpr milliseconds kPause{1};
constexpr milliseconds kLong{250};

}  // namespace

Burst Bursts::take(double seconds) {
  last_highest_ = std::exchange(highest_, raw_under_way_);
  used_ = marked_ = false;
  return {.seconds = seconds, .raw_bytes = std::exchange(raw_, 0), .wire_bytes = std::exchange(wire_, 0)};
}

std::optional<Burst> Bursts::begin(probe::Time now, double raw_bytes) {
  std::optional<Burst> before;
  const bool pause = now - last_end_ >= kPause;
  // One call after the other: a long burst can only be cut between two.
  if (calls_ == 0 && used_ && (pause || marked_)) {
    before = take(probe::to_seconds(last_end_ - begin_));
    before->over = pause;
    before->idle_seconds = pause ? probe::to_seconds(now - last_end_) : 0;
  }
  if (calls_ == 0 && !used_) begin_ = now;
  ++calls_;
  raw_under_way_ += raw_bytes;
  highest_ = std::max(highest_, raw_under_way_);
  return before;
}

std::optional<Burst> Bursts::end(probe::Time begun, probe::Time now, double raw_bytes, double wire_bytes) {
  if (calls_ == 0) return std::nullopt;
  --calls_;
  raw_under_way_ = calls_ == 0 ? 0 : std::max(0.0, raw_under_way_ - raw_bytes);
  raw_ += raw_bytes;
  wire_ += wire_bytes;
  used_ = true;
  last_end_ = now;
  if (marked_ && begun <= mark_ && before_mark_ > 0) --before_mark_;
  if (!marked_ && now - begin_ >= kLong) {
    marked_ = true;
    mark_ = now;
    before_mark_ = calls_;
  }
  if (!marked_ || before_mark_ > 0 || calls_ == 0) return std::nullopt;
  Burst part = take(probe::to_seconds(now - begin_));
  begin_ = now;
  return part;
}

double Bursts::arrived_rate(probe::Time now) const {
  const double seconds = probe::to_seconds(now - begin_);
  return calls_ > 0 && seconds > 0 ? wire_ / seconds : 0;
}

}  // namespace netsense::adapt
