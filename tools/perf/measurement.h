// Figures of one row of the result table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/engine/ns_engine.h"
#include "tools/perf/collective.h"
#include "tools/perf/options.h"

namespace netsense::perf {

struct Measurement {
  double seconds = 0;              // of one call
  double algorithm_bandwidth = 0;  // bytes of the operation per second
  double bus_bandwidth = 0;        // the former times bus_factor
  std::optional<uint64_t> wrong;   // over all ranks; none: not checked
  std::optional<double> error{};   // of a result that may be rounded, on this rank
};

struct Row {
  size_t bytes = 0;
  size_t count = 0;
  ns_type type = ns_float32;
  std::optional<ns_op> op;
  std::optional<int> root;
  std::optional<Measurement> out_of_place;
  std::optional<Measurement> in_place;
};

// One time from all ranks' times. times: not empty.
[[nodiscard]] double combine_times(std::span<const double> times, Average average);

// Bandwidths of one call that took so long (docstring of bus_factor has the source). seconds > 0.
[[nodiscard]] Measurement measure(Collective collective, size_t bytes, int ranks, double seconds);

struct Summary {
  uint64_t wrong = 0;
  double error = 0;               // the largest
  double mean_bus_bandwidth = 0;  // over all measurements, in and out of place, as nccl-tests does
};
[[nodiscard]] Summary summarize(std::span<const Row> rows);

}  // namespace netsense::perf
