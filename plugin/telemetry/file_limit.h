// The limit that a process has on the size of its files (ulimit -f).
#pragma once

#include <sys/resource.h>

#include <cstddef>

namespace netsense::telemetry {

// To be asked before a file grows: beyond the limit the kernel does not only refuse, it ends the process
// (SIGXFSZ).
inline bool file_may_have(size_t bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

}  // namespace netsense::telemetry
