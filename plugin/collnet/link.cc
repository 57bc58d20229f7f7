#include "plugin/collnet/link.h"

#include <map>

namespace netsense::collnet {

Link::Link(const config::Settings& settings) : controller_(adapt::make_lossy_controller(settings)) {}

void Link::begin(probe::Time now, double raw_bytes) {
  const std::lock_guard lock(mutex_);
  controller_->begin(now, raw_bytes);
}

void Link::end(probe::Time begun, probe::Time now, double raw_bytes, double wire_bytes) {
  const std::lock_guard lock(mutex_);
  controller_->end(begun, now, raw_bytes, wire_bytes);
}

void Link::look(probe::Time now, const adapt::LinkView& view) {
  const std::lock_guard lock(mutex_);
  controller_->look(now, view);
}

adapt::LossyLevel Link::level(probe::Time now, const adapt::LossyData& data) {
  const std::lock_guard lock(mutex_);
  return controller_->level(now, data);
}

// Both are never destroyed: NCCL may close comms after static destructors have run.
Link& link_of(const void* device, const config::Settings& settings) {
  static std::mutex mutex;
  static auto* links = new std::map<const void*, std::unique_ptr<Link>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Link>& link = (*links)[device];
  if (link == nullptr) link = std::make_unique<Link>(settings);
  return *link;
}

ResidualBudget& residual_budget(const config::Settings& settings) {
  static auto* budget = new ResidualBudget(settings.residual_bytes);
  return *budget;
}

}  // namespace netsense::collnet
