// What a link can carry, from the bursts that it has carried.
#pragma once

#include <array>
#include <cstddef>

#include "plugin/adapt/bursts.h"

namespace netsense::adapt {

// Where more came through than the transport has seen the link carry, that was seen before it changed.
constexpr bool is_outdated(double seen, double arrived) {
  return arrived > 1.25 * seen;
}

// A burst of W bytes takes T = a + W/B, where `a` does not depend on how finely it is coded: round trips,
// waiting for other ranks, the codec. Two bursts of clearly different W tell `a`. Without it, data made
// smaller in vain would look like a slower link, ask for smaller data still, and so on. A burst can be held
// up by more than the link, so the largest of three W/(T - a) counts; but one that met a congestion shows
// what the link is now.
class BurstRate {
 public:
  // seen: bytes per second of the congested link as the transport has seen them during the burst; 0: no
  // congestion.
  void add(const Burst& burst, double seen);
  // Bytes per second; 0 while unknown.
  [[nodiscard]] double rate() const;
  // a, in seconds.
  [[nodiscard]] double overhead() const { return overhead_; }

 private:
  std::array<double, 3> latest_{};
  size_t next_ = 0;
  double last_seconds_ = 0;
  double last_wire_ = 0;
  double overhead_ = 0;
};

}  // namespace netsense::adapt
