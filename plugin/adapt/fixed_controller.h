// Always the same codec, whatever the network does: for comparison, and for who knows what they need.
#pragma once

#include "plugin/adapt/lossy_controller.h"

namespace netsense::adapt {

class FixedController final : public LossyController {
 public:
  explicit FixedController(const config::ControllerChoice& choice)
      : level_(choice.bits == 0
                   ? LossyLevel{}
                   : LossyLevel{
                         .lossless = false, .bits = choice.bits, .keep = static_cast<float>(choice.keep)}) {}

  void begin(probe::Time /*now*/, double /*raw_bytes*/) override {}
  void end(probe::Time /*begun*/, probe::Time /*now*/, double /*raw_bytes*/, double /*wire_bytes*/) override {
  }
  void look(probe::Time /*now*/, const LinkView& /*view*/) override {}

  // Of f32.
  [[nodiscard]] double ratio(probe::Time /*now*/) const override {
    return expected_ratio(level_, sizeof(float));
  }
  [[nodiscard]] LossyLevel level(probe::Time /*now*/, const LossyData& data) const override {
    return data.allow_sparse ? level_ : without_leaving_out(level_);
  }

 private:
  LossyLevel level_;
};

}  // namespace netsense::adapt
