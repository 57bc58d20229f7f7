// The connections from one process to one host, which share a path and are shown together.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/report/trace_set.h"

namespace netsense::report {

struct Path {
  telemetry::Direction direction = telemetry::Direction::kSend;
  size_t trace = 0;
  std::string host;                 // the peer's address
  std::string title;                // "rank 0 to 10.0.0.2"
  std::vector<size_t> connections;  // of the set
  Totals totals;
};

// Of all connections: those that send first, by trace, then by bytes.
std::vector<Path> paths_of(const TraceSet& set);

// How these connections went together; those whose course is not known are left out.
std::vector<Moment> course_of(const TraceSet& set, std::span<const size_t> connections);

}  // namespace netsense::report
