// Which file a process writes its trace to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace netsense::telemetry {

// pattern: %h becomes the host's name, %p the process's number, %% a percent sign. Where that is a directory,
// or ends as one, the process gets a file of its own in it.
std::string trace_path(std::string_view pattern, std::string_view host, uint64_t pid);

}  // namespace netsense::telemetry
