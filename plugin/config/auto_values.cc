#include "plugin/config/auto_values.h"

#include <sched.h>

#include <algorithm>

namespace netsense::config {
namespace {

// Large messages need one thread for a few Gbit/s; more than four per process help no network of today enough
// to take cores from the training. The help of NETSENSE_TCP_THREADS says the same.
int auto_threads(int cores) {
  if (cores < 4) return 0;
  if (cores < 8) return 1;
  return cores < 16 ? 2 : 4;
}

// Between two hosts that are fast enough, two carry almost twice as much as one, even without threads
// (`tools/bench raw`, veth).
constexpr int kLeastStreams = 2;

}  // namespace

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

int threads_in_force(const Settings& settings, int cores) {
  return settings.tcp_threads.value_or(auto_threads(cores));
}

int streams_in_force(const Settings& settings, int cores) {
  return settings.tcp_streams.value_or(std::max(kLeastStreams, threads_in_force(settings, cores)));
}

int local_streams_in_force(const Settings& settings, int cores) {
  return settings.tcp_streams.value_or(std::max(1, threads_in_force(settings, cores)));
}

std::optional<int> meaning_of_auto(std::string_view name, const Settings& settings, int cores) {
  if (name == "NETSENSE_TCP_THREADS" && !settings.tcp_threads) return threads_in_force(settings, cores);
  if (name == "NETSENSE_TCP_STREAMS" && !settings.tcp_streams) return streams_in_force(settings, cores);
  return std::nullopt;
}

}  // namespace netsense::config
