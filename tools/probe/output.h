// Where the reports go.
#pragma once

#include "tools/probe/cell.h"
#include "tools/probe/options.h"
#include "tools/probe/series.h"

namespace netsense::mesh {

// Throws perf::UsageError when a file cannot be written, so that nobody measures for nothing.
void check_files(const Options& options);

// Table on standard output (standard error when the JSON goes there), and the files. Throws perf::Error.
void write_reports(const Options& options, const Mesh& mesh);

// A line on the terminal that shows how far it is; elsewhere nothing.
[[nodiscard]] Progress show_progress(const Options& options);

}  // namespace netsense::mesh
