// Stands in for NCCL's log while the plugin runs inside this program.
#pragma once

#include <string>
#include <vector>

#include "plugin/abi/common.h"

namespace netsense::info {

// A function of NCCL's logger type; it keeps the lines of level INFO and WARN. For any thread.
abi::DebugLogger line_collector();

// The lines so far, warnings marked "WARN: ".
std::vector<std::string> collected_lines();

}  // namespace netsense::info
