// The words of NCCL's logger: what a plugin is given at init, and what the host engine gives.
#pragma once

namespace netsense {

// ncclDebugLogger_t.
using LogFunction = void (*)(int level, unsigned long flags, const char* file, int line, const char* format,
                             ...);

// ncclDebugLogLevel.
enum class LogLevel : int { kNone = 0, kVersion = 1, kWarn = 2, kInfo = 3, kAbort = 4, kTrace = 5 };

// ncclDebugLogSubSys. A line flagged kLogNet alone is not shown by default, one with kLogInit is.
inline constexpr unsigned long kLogInit = 0x1;
inline constexpr unsigned long kLogNet = 0x10;
inline constexpr unsigned long kLogTuning = 0x40;
inline constexpr unsigned long kLogEnv = 0x80;
inline constexpr unsigned long kLogBootstrap = 0x1000;
// What NCCL's own warnings carry: it filters those too, and with NCCL_DEBUG_SUBSYS unset it shows none of
// kLogNet alone.
inline constexpr unsigned long kLogAll = ~0UL;

}  // namespace netsense
