// How finely the data of lossy collectives are coded on one link, and what is known for that.
#pragma once

#include <memory>

#include "plugin/adapt/lossy_level.h"
#include "plugin/config/settings.h"
#include "probe/sample.h"

namespace netsense::adapt {

// The link as the transport senses it. Every value is 0 until it is known.
struct LinkView {
  // What the link delivers to all connections together that use it. Counts while it is congested: only then
  // is that what the link can do.
  double bytes_per_second = 0;
  probe::Duration rtprop{};  // round trip without any queue
  bool congested = false;    // the network is the bottleneck (congestion.h)
};

// One per link, for all collectives on it; callers take turns. Pure: the caller brings the time, which never
// goes backwards. Bytes are those that this rank sends.
class LossyController {
 public:
  LossyController() = default;
  LossyController(const LossyController&) = delete;
  LossyController& operator=(const LossyController&) = delete;
  virtual ~LossyController() = default;

  // A call starts; it is to send raw_bytes of data before any coding.
  virtual void begin(probe::Time now, double raw_bytes) = 0;
  // A call that began at `begun` is over; it sent wire_bytes for them.
  virtual void end(probe::Time begun, probe::Time now, double raw_bytes, double wire_bytes) = 0;
  // About every millisecond while calls are under way, where the transport senses the link at all.
  virtual void look(probe::Time now, const LinkView& view) = 0;

  // Bytes that may be sent now per byte of data, as the rule sees it; 1 and more: no need to lose anything.
  [[nodiscard]] virtual double ratio(probe::Time now) const = 0;
  // How to code such data now.
  [[nodiscard]] virtual LossyLevel level(probe::Time now, const LossyData& data) const = 0;
};

// The one that NETSENSE_LOSSY_CONTROLLER names.
std::unique_ptr<LossyController> make_lossy_controller(const config::Settings& settings);

}  // namespace netsense::adapt
