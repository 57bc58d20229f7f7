// A training job on a simulated link, with a controller in the loop: simulated time, no threads, the same
// every time. Used by the tests and by tests/bench/lossy_simulation.cc.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "plugin/adapt/lossy_controller.h"

namespace netsense::adapt::simulation {

// Bytes per second, for bits.
constexpr double mbit(double value) {
  return value * 1e6 / 8;
}

struct Scenario {
  std::string name;
  // Of the link to all together, at a time in seconds.
  std::function<double(double)> bytes_per_second;
  // Part of it that another's traffic takes.
  std::function<double(double)> taken = [](double) { return 0.0; };
  double rtprop = 0.0005;
  // Whether the transport senses the link.
  bool looks = true;

  size_t collectives = 60;
  // Before a collective, by its number.
  std::function<double(size_t)> compute_seconds = [](size_t) { return 0.06; };
  // For how long a collective waits for another rank before anything is sent.
  std::function<double(size_t)> waits = [](size_t) { return 0.0; };
  // A collective's bytes come in so many calls, of which so many are under way at a time.
  double bytes = 46e6;
  size_t calls = 1;
  size_t calls_at_a_time = 8;
};

// A collective as it went.
struct Outcome {
  double begin = 0;            // seconds
  double seconds = 0;          // the first call's beginning to the last one's end
  double wire_ratio = 0;       // bytes sent per byte of data
  double compute_seconds = 0;  // before it
  double fair_rate = 0;        // bytes per second that the link had for it at its beginning
  bool lossless = true;        // all calls were
};

// Fluid and fair: calls under way share what the link has for them. The link is seen through Congestion, as
// the transport sees it, every millisecond.
std::vector<Outcome> run(const Scenario& scenario, LossyController& controller);

// ResNet-18's gradients (46 MB of f32), 60 ms of computing between.
Scenario step_down_and_up();  // 10 Gbit/s, 200 Mbit/s from the 20th collective or so, 10 Gbit/s again
Scenario sawtooth();          // between 10 Gbit/s and 200 Mbit/s, up and down within 4 s
Scenario competing_flow();    // 500 Mbit/s, half of it taken for 3 s of every 6
Scenario idle_gaps();         // 500 Mbit/s, a pause of 5 s now and then
Scenario constant(double bytes_per_second);
std::vector<Scenario> all_scenarios();

}  // namespace netsense::adapt::simulation
