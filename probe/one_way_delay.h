// How much longer than the quickest ones the frames take from sender to receiver.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "probe/sample.h"

namespace netsense::probe {

// Two clocks that were never set to each other show a one-way delay up to a constant, and, as they do not run
// equally fast, up to a slow drift. The quickest frames met no queue and lie on a straight line; what a frame
// lies above the line is its variation. The line is found as in Moon, Skelly, Towsley, "Estimation and
// Removal of Clock Skew from Network Delay Measurements" (INFOCOM 1999): of all lines below every frame, the
// one nearest to them on average is the edge of the lower convex hull under (or beside) their mean time.
// Frames enter as the quickest of each second over the last 60, so a queue that stands for longer becomes
// part of the base: this measures changes.
class OneWayDelay {
 public:
  // sent_us: the sender's clock when the frame was made, in microseconds; it wraps every 71.6 minutes, so
  // frames may be up to half of that apart (a longer silence starts a new base). Returns the frame's
  // variation, >= 0.
  Duration add(Time received, uint32_t sent_us);

  // Of the last frame.
  [[nodiscard]] Duration variation() const { return variation_; }
  // How much faster the receiver's clock runs than the sender's, as a ratio (1e-6 is one ppm); 0 until 10 s
  // are seen.
  [[nodiscard]] double drift() const { return drift_; }

 private:
  struct Quickest {
    int64_t second;
    double at;     // seconds since start_
    double delay;  // seconds, plus the constant
  };

  void restart(Time received, uint32_t sent_us);
  void keep(const Quickest& frame);
  void fit();

  bool started_ = false;
  Time start_;
  Time last_received_;
  uint32_t last_sent_us_ = 0;
  int64_t sent_since_start_us_ = 0;
  std::deque<Quickest> quickest_;
  std::deque<std::pair<double, double>> hull_;  // kept for its memory
  double base_ = 0;                             // the line at start_
  double drift_ = 0;
  Duration variation_{};
};

}  // namespace netsense::probe
