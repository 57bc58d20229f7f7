// How things went over time, in steps of equal length: as many as a picture has room for.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "plugin/telemetry/trace_format.h"
#include "tools/report/totals.h"

namespace netsense::report {

// One step of one connection. Sums, unless they say otherwise.
struct Step {
  uint32_t looks = 0;  // at the path
  uint32_t congested = 0;
  float host_queue_s = 0;
  float network_queue_s = 0;
  float rtprop_s = 0;
  float btlbw = 0;            // bytes per second
  float longest_queue_s = 0;  // the largest of host and network together
  double raw_bytes = 0;       // sent or received
  double wire_bytes = 0;
  std::array<double, kActions> bytes_as{};
  std::array<uint32_t, kReasons> blocks_because{};
  uint32_t arrivals = 0;
  float variation_s = 0;  // of the one-way delay, of the arrivals
  float largest_variation_s = 0;
};
using Steps = std::vector<Step>;

// What is drawn of a step: of one connection, or of all to the same host.
struct Moment {
  bool looked = false;  // otherwise nothing is known of the path
  double host_queue_s = 0;
  double network_queue_s = 0;
  double longest_queue_s = 0;
  double rtprop_s = 0;                     // 0: unknown
  double btlbw = 0;                        // of the link they share, bytes per second; 0: unknown
  double congested = 0;                    // part of the looks
  double goodput = 0;                      // raw bytes per second
  double wire = 0;                         // bytes per second
  std::array<double, kActions> share{};    // of the raw bytes; all 0: there were none
  std::array<double, kReasons> because{};  // part of the blocks
  double arrivals = 0;
  double variation_s = 0;
  double largest_variation_s = 0;
};

// step_s: the length of a step. Of equally many steps each.
std::vector<Moment> moments(std::span<const Steps* const> connections, double step_s);

}  // namespace netsense::report
