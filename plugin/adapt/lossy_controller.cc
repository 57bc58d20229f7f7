#include "plugin/adapt/lossy_controller.h"

#include "plugin/adapt/fixed_controller.h"
#include "plugin/adapt/model_controller.h"
#include "plugin/adapt/netsenseml_controller.h"

namespace netsense::adapt {

std::unique_ptr<LossyController> make_lossy_controller(const config::Settings& settings) {
  switch (settings.lossy_controller.rule) {
    case config::LossyRule::kNetSenseMl:
      return std::make_unique<NetSenseMlController>(settings.lossy_min_keep);
    case config::LossyRule::kFixed:
      return std::make_unique<FixedController>(settings.lossy_controller);
    case config::LossyRule::kModel:
      break;
  }
  return std::make_unique<ModelController>(settings.queue_target, settings.lossy_min_keep);
}

}  // namespace netsense::adapt
