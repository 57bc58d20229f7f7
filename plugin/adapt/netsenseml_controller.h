// The rule of the NetSenseML prototype, for comparison.
#pragma once

#include "plugin/adapt/lossy_controller.h"

namespace netsense::adapt {

// Wang et al., "NetSenseML: Network-Adaptive Compression for Efficient Distributed Machine Learning",
// Euro-Par 2025, as the authors' prototype of October 2024 has it (github.com/asu-gkg/NetSenseML): after each
// collective, with d the bytes it sent and t its wall time, RTprop = min t and BtlBw = max d/t of a window of
// 5 s; if d > 0.9 BtlBw RTprop the part of the elements that is kept is cut by a twentieth, else it grows by
// a thousandth of all. What is measured thus contains serialisation, coding and waiting for others. (The
// prototype restarts the window at odd times; here it restarts every 5 s.)
class NetSenseMlController final : public LossyController {
 public:
  explicit NetSenseMlController(double min_keep) : min_keep_(min_keep) {}

  void begin(probe::Time /*now*/, double /*raw_bytes*/) override {}
  void end(probe::Time begun, probe::Time now, double raw_bytes, double wire_bytes) override;
  void look(probe::Time /*now*/, const LinkView& /*view*/) override {}

  // The part of the elements that is kept; it bounds neither bits nor places.
  [[nodiscard]] double ratio(probe::Time /*now*/) const override { return ratio_; }
  // Quantise to 8 bits, prune as much as the prototype does (half) or as the ratio asks for, keep the
  // largest.
  [[nodiscard]] LossyLevel level(probe::Time now, const LossyData& data) const override;

 private:
  double min_keep_;
  double ratio_ = 0.7;
  bool started_ = false;
  probe::Time window_begin_;
  double shortest_ = 0;  // seconds
  double fastest_ = 0;   // bytes per second
};

}  // namespace netsense::adapt
