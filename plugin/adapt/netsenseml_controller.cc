#include "plugin/adapt/netsenseml_controller.h"

#include <algorithm>

namespace netsense::adapt {
namespace {

constexpr std::chrono::seconds kWindow{5};
constexpr double kFull = 0.9;
constexpr double kCut = 0.95;
constexpr double kGrow = 0.001;
constexpr uint8_t kBits = 8;
constexpr double kMostPruned = 0.5;
constexpr double kShortest = 1e-9;  // a clock may stand still

}  // namespace

void NetSenseMlController::end(probe::Time begun, probe::Time now, double /*raw_bytes*/, double wire_bytes) {
  const double took = std::max(probe::to_seconds(now - begun), kShortest);
  if (!started_ || now - window_begin_ >= kWindow) {
    started_ = true;
    window_begin_ = now;
    shortest_ = took;
    fastest_ = 0;
  }
  shortest_ = std::min(shortest_, took);
  fastest_ = std::max(fastest_, wire_bytes / took);
  const bool full = wire_bytes > kFull * fastest_ * shortest_;
  ratio_ = full ? std::max(min_keep_, ratio_ * kCut) : std::min(1.0, ratio_ + kGrow);
}

LossyLevel NetSenseMlController::level(probe::Time /*now*/, const LossyData& data) const {
  if (ratio_ >= 1) return {};
  const LossyLevel level{.lossless = false,
                         .bits = kBits,
                         .keep = static_cast<float>(ratio_),
                         .prune = static_cast<float>(std::min(kMostPruned, 1 - ratio_))};
  return data.allow_sparse ? level : without_leaving_out(level);
}

}  // namespace netsense::adapt
