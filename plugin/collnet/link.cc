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

void DeliveryWindow::add(probe::Time now, uint64_t bytes) {
  if (!marks_.empty() && now - marks_.back().at > kPause) marks_.clear();
  total_ += bytes;
  marks_.push_back({now, total_});
  while (marks_.size() > 2 && now - marks_[1].at >= kSpan) marks_.pop_front();
}

double DeliveryWindow::rate() const {
  if (marks_.size() < 2) return 0;
  const probe::Duration span = marks_.back().at - marks_.front().at;
  if (span < kSpan / 2) return 0;
  return static_cast<double>(marks_.back().total - marks_.front().total) / probe::to_seconds(span);
}

void Link::look(probe::Time now, const Look& look) {
  const std::lock_guard lock(mutex_);
  delivered_.add(now, look.delivered_bytes);
  controller_->look(now, {.bytes_per_second = delivered_.rate(),
                          .rtprop = look.rtprop,
                          .congested = look.congested && delivered_.rate() > 0});
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
