// How fast one connection delivers: its share of the path.
#pragma once

#include <cstdint>
#include <deque>

#include "probe/sample.h"

namespace netsense::probe {

// The bytes delivered over the last two round trips (at least 20 ms), from delivery to delivery: over whole
// round trips the connection's bursts even out, and so do bunched acknowledgements (delivery rate as in BBR).
// While there was always something under way that is the truth; if the connection ran empty, it is a lower
// bound.
class DeliveryRate {
 public:
  // As for BottleneckRate.
  void add(Time at, uint64_t delivered_bytes, bool empty, Duration rtt);

  // Bytes per second; 0 until known. in_flight_bytes: as of now; they have been waiting for any delivery for
  // so long. When that is longer than the rate would allow, it is no longer true, whatever was delivered
  // before.
  [[nodiscard]] double bytes_per_second(uint64_t in_flight_bytes, Duration waiting) const;

 private:
  struct Delivery {
    Time at;
    uint64_t bytes;
    bool empty;
  };

  std::deque<Delivery> deliveries_;
  size_t empty_ = 0;  // of deliveries_, the first excluded
  Duration span_{};
  double rate_ = 0;
};

}  // namespace netsense::probe
