// Which lossless codec a block goes through, if any.
#pragma once

#include <array>
#include <cstddef>

#include "plugin/adapt/action.h"
#include "plugin/adapt/codec_record.h"
#include "plugin/adapt/congestion.h"
#include "plugin/config/settings.h"
#include "probe/sample.h"

namespace netsense::adapt {

constexpr size_t kCodecs = 2;  // all but kRaw

// Pure: the caller brings the time and the measurements. One per size class of a connection's messages; the
// congestion is the connection's. Takes the least by cost_model.h, sticks to what it has until something is
// clearly better, and tries the others now and then so that what it knows of them stays true. A codec that
// does not make a class of traffic smaller is tried ever more rarely.
class LosslessController {
 public:
  explicit LosslessController(config::CodecChoice choice) : choice_(choice) {}

  // For a block of `bytes`, which the caller then sends that way.
  Action choose(probe::Time now, const Congestion& congestion, size_t bytes);
  // What came of a block that was coded, or that was to be and did not shrink (coded_bytes = raw_bytes).
  void coded(probe::Time now, Action codec, size_t raw_bytes, size_t coded_bytes, probe::Duration took);

  // Why the last choose() said what it said.
  [[nodiscard]] Reason reason() const { return reason_; }
  // Seconds that a block should take from here to there without what waits before it, as choose() sees it;
  // NaN where that is not known.
  [[nodiscard]] double expected(Action action, const Congestion& congestion, size_t bytes) const;

  [[nodiscard]] const CodecRecord& record(Action codec) const { return records_[index(codec)]; }
  [[nodiscard]] Action current() const { return current_; }

 private:
  static size_t index(Action codec) { return static_cast<size_t>(codec) - 1; }
  [[nodiscard]] bool due(probe::Time now, Action codec) const;
  [[nodiscard]] double cost(Action action, const Congestion& congestion, size_t bytes) const;

  config::CodecChoice choice_;
  Action current_ = Action::kRaw;
  Reason reason_ = Reason::kNone;
  std::array<CodecRecord, kCodecs> records_;
  std::array<probe::Duration, kCodecs> patience_{};  // until the next trial
};

}  // namespace netsense::adapt
