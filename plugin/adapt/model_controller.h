// As finely as the link can carry while the job computes. docs/adaptive.md has the formulas.
#pragma once

#include "plugin/adapt/burst_rate.h"
#include "plugin/adapt/bursts.h"
#include "plugin/adapt/idle_share.h"
#include "plugin/adapt/lossy_controller.h"

namespace netsense::adapt {

class ModelController final : public LossyController {
 public:
  // min_keep: least ratio.
  ModelController(probe::Duration queue_target, double min_keep)
      : queue_target_(queue_target), min_keep_(min_keep) {}

  void begin(probe::Time now, double raw_bytes) override;
  void end(probe::Time begun, probe::Time now, double raw_bytes, double wire_bytes) override;
  void look(probe::Time now, const LinkView& view) override;
  [[nodiscard]] double ratio(probe::Time now) const override;
  [[nodiscard]] LossyLevel level(probe::Time now, const LossyData& data) const override;

  // Bytes per second that the link is taken to carry; 0 while unknown.
  [[nodiscard]] double rate(probe::Time now) const;

 private:
  void learn(const Burst& burst);
  void decide(probe::Time now);
  // The ratio that both rules together allow.
  [[nodiscard]] double affordable(probe::Time now) const;

  probe::Duration queue_target_;
  double min_keep_;
  Bursts bursts_;
  BurstRate burst_rate_;
  IdleShare idle_share_;
  probe::Duration rtprop_{};
  bool looks_ = false;          // whether the transport senses the link at all
  double seen_ = 0;             // rate of the congested link in this burst; 0: not congested
  bool was_congested_ = false;  // in the last burst
  bool lossy_ = false;
  bool was_lossy_ = false;  // when any call of this burst began
  double ceiling_ = 1;
  double room_ = 1;
  size_t bursts_exact_ = 0;  // since it last was lossy
};

}  // namespace netsense::adapt
