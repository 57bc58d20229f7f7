// What all comms on one device share: the rule for how finely data is coded, and memory for what rounding
// leaves over.
#pragma once

#include <memory>
#include <mutex>

#include "plugin/adapt/lossy_controller.h"
#include "plugin/collnet/residuals.h"
#include "plugin/config/settings.h"
#include "probe/sample.h"

namespace netsense::collnet {

// The threads of comms take turns; NCCL's threads never come here.
class Link {
 public:
  explicit Link(const config::Settings& settings);

  void begin(probe::Time now, double raw_bytes);
  void end(probe::Time begun, probe::Time now, double raw_bytes, double wire_bytes);
  void look(probe::Time now, const adapt::LinkView& view);
  adapt::LossyLevel level(probe::Time now, const adapt::LossyData& data);

 private:
  std::mutex mutex_;
  std::unique_ptr<adapt::LossyController> controller_;  // guarded by mutex_
};

// Of the device; made when it is first asked for, and kept until the process ends.
Link& link_of(const void* device, const config::Settings& settings);
// Of the process.
ResidualBudget& residual_budget(const config::Settings& settings);

}  // namespace netsense::collnet
