// One or more traces, as the report shows them: connections, what they carried, and how it went over time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plugin/telemetry/layout.h"
#include "plugin/telemetry/trace_parse.h"
#include "tools/report/series.h"
#include "tools/report/totals.h"

namespace netsense::report {

// The trace of one process.
struct Trace {
  std::string file;
  std::string name{};  // "rank 3", or host and process
  telemetry::TraceHeader header{};
  telemetry::TraceOutcome outcome{};
  uint64_t lost = 0;         // records that the process did not get into the file
  uint64_t limit_bytes = 0;  // not 0: the trace ends before the process did, for its size
};

struct Connection {
  size_t trace = 0;
  uint32_t number = 0;  // within the trace
  telemetry::Direction direction = telemetry::Direction::kSend;
  std::string peer;  // address and port
  std::string device;
  uint32_t streams = 0;
  bool coding = false;
  bool closed = false;
  Totals totals{};
  Steps steps{};  // empty: only the totals are known
};

struct TraceSet {
  std::vector<Trace> traces;
  std::vector<Connection> connections;
  uint64_t begin_unix_ns = 0;
  double seconds = 0;
  double step_s = 0;
  size_t steps = 0;
};

// A trace to be read, more than once.
struct Source {
  std::string file;
  std::function<std::vector<std::byte>()> read;
};
// Throws std::runtime_error: the file cannot be read.
Source file_source(const std::string& path);

// What is no trace at all has its place in `traces`, with its error and without connections.
TraceSet collect(const std::vector<Source>& sources);

}  // namespace netsense::report
