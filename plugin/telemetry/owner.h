// The process that a statistics file belongs to, and whether it still runs.
#pragma once

#include <cstdint>
#include <string_view>

#include "plugin/telemetry/parse.h"

namespace netsense::telemetry {

// Inode of this process's pid namespace; 0: unknown.
uint64_t own_pid_namespace();
// When a process began, in clock ticks since the host did: field 22 of /proc/<pid>/stat. 0: there is none.
uint64_t process_start_ticks(uint64_t pid);
// The same from the text of that file; 0 when it is not such a text.
uint64_t parse_start_ticks(std::string_view stat);

// True only when that is sure: a process of another pid namespace cannot be looked for here, and counts as
// running.
bool has_ended(const ProcessInfo& process);

}  // namespace netsense::telemetry
