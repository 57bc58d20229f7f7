// What all comms on one device share: the rule for how finely data is coded, and memory for what rounding
// leaves over.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>

#include "plugin/adapt/lossy_controller.h"
#include "plugin/collnet/residuals.h"
#include "plugin/config/settings.h"
#include "probe/sample.h"

namespace netsense::collnet {

// How fast all connections of a link together deliver while calls are under way. Each of them does so in
// turns, and what each remembers of its own turns does not add up to the link's rate.
class DeliveryWindow {
 public:
  // bytes: delivered since the last call.
  void add(probe::Time now, uint64_t bytes);
  // Bytes per second of the last kSpan; 0 while too little of it has passed without a pause.
  [[nodiscard]] double rate() const;

 private:
  static constexpr std::chrono::milliseconds kSpan{20};
  static constexpr std::chrono::milliseconds kPause{5};
  struct Mark {
    probe::Time at;
    uint64_t total;
  };
  std::deque<Mark> marks_;  // oldest first, the first one at least kSpan old if there is such
  uint64_t total_ = 0;
};

// The threads of comms take turns; NCCL's threads never come here.
class Link {
 public:
  explicit Link(const config::Settings& settings);

  void begin(probe::Time now, double raw_bytes);
  void end(probe::Time begun, probe::Time now, double raw_bytes, double wire_bytes);
  // What one comm has found out since it looked last: bytes that were delivered, and what its connections
  // sense.
  struct Look {
    uint64_t delivered_bytes = 0;
    probe::Duration rtprop{};
    bool congested = false;
  };
  void look(probe::Time now, const Look& look);
  adapt::LossyLevel level(probe::Time now, const adapt::LossyData& data);

 private:
  std::mutex mutex_;  // guards what follows
  std::unique_ptr<adapt::LossyController> controller_;
  DeliveryWindow delivered_;
};

// Of the device; made when it is first asked for, and kept until the process ends.
Link& link_of(const void* device, const config::Settings& settings);
// Of the process.
ResidualBudget& residual_budget(const config::Settings& settings);

}  // namespace netsense::collnet
