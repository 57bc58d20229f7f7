#include "tools/perf/measurement.h"

#include <algorithm>
#include <numeric>

namespace netsense::perf {

double combine_times(std::span<const double> times, Average average) {
  switch (average) {
    case Average::kRank0:
      return times.front();
    case Average::kMin:
      return *std::min_element(times.begin(), times.end());
    case Average::kMax:
      return *std::max_element(times.begin(), times.end());
    case Average::kMean:
      break;
  }
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

Measurement measure(Collective collective, size_t bytes, int ranks, double seconds) {
  const double bandwidth = static_cast<double>(bytes) / seconds;
  return {.seconds = seconds,
          .algorithm_bandwidth = bandwidth,
          .bus_bandwidth = bandwidth * bus_factor(collective, ranks),
          .wrong = std::nullopt,
          .error = std::nullopt};
}

Summary summarize(std::span<const Row> rows) {
  Summary summary;
  double sum = 0;
  int measurements = 0;
  for (const Row& row : rows) {
    for (const auto& measurement : {row.out_of_place, row.in_place}) {
      if (!measurement) continue;
      summary.wrong += measurement->wrong.value_or(0);
      summary.error = std::max(summary.error, measurement->error.value_or(0));
      sum += measurement->bus_bandwidth;
      ++measurements;
    }
  }
  if (measurements > 0) summary.mean_bus_bandwidth = sum / measurements;
  return summary;
}

}  // namespace netsense::perf
