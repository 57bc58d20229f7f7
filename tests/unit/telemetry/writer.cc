// A process with one connection in the statistics of the folder it is given, until its input ends.
#include <cstdio>

#include "plugin/telemetry/registry.h"

int main(int count, char** arguments) {
  using namespace netsense::telemetry;
  if (count != 2) return 2;
  const auto counters = Registry::of_process().open(
      {.on = true, .directory = arguments[1]},
      {.direction = Direction::kSend, .peer = "10.0.0.2:4321", .device = "eth0", .streams = 1, .mode = 1});
  counters->message();
  counters->block(1000, 640);
  counters->coded(Tier::kFast, true, std::chrono::microseconds(3));
  counters->sensed({.rtprop = std::chrono::microseconds(200),
                    .rtt = std::chrono::microseconds(300),
                    .btlbw_bytes_per_second = 1e8,
                    .network_queue = std::chrono::microseconds(100)});
  std::puts("ready");
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}
