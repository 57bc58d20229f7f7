// One step of the measurement: for a while, this rank and some peers ping each other, with or without load.
#pragma once

#include <vector>

#include "tools/probe/links.h"
#include "tools/probe/talk.h"

namespace netsense::mesh {

struct Part {
  int peer = 0;
  Role role;
};

// Which of this rank's figures about a peer a step gave; all empty or 0 where the rank only answered.
struct Observed {
  std::vector<double> round_trips;  // seconds
  std::vector<double> variations;   // seconds
  double bandwidth = 0;             // bytes per second, as the peer received them
  double rtprop = 0;                // seconds
  double btlbw = 0;                 // bytes per second
  double queue_delay = 0;           // seconds
};

// By place in `parts`. With load, whoever asks also sends. The peers run the same step at the same time.
// Throws perf::Error naming the peer that went away, or that says nothing for the links' timeout.
[[nodiscard]] std::vector<Observed> run_step(Links& links, const std::vector<Part>& parts,
                                             Links::LoadConnections load, probe::Duration length);

}  // namespace netsense::mesh
