// The engine's log, with NCCL's variables and line format, so that what users learn to read here is what they
// will read in a real job: NCCL_DEBUG (VERSION, WARN, INFO, TRACE), NCCL_DEBUG_SUBSYS, NCCL_DEBUG_FILE (%h,
// %p).
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "plugin/core/log_level.h"

namespace netsense::engine {

// The ncclDebugLogger_t handed to plugins.
extern "C" void ns_engine_log(int level, unsigned long flags, const char* file, int line, const char* format,
                              ...) __attribute__((format(printf, 5, 6)));

bool log_enabled(LogLevel level, unsigned long flags);
void log_text(LogLevel level, unsigned long flags, const char* file, int line, std::string_view text);

template <typename... Args>
void log_info(unsigned long flags, fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(LogLevel::kInfo, flags)) {
    log_text(LogLevel::kInfo, flags, "", 0, fmt::format(format, std::forward<Args>(args)...));
  }
}

}  // namespace netsense::engine

#define NS_ENGINE_WARN(...)                                                                               \
  ::netsense::engine::log_text(::netsense::LogLevel::kWarn, ::netsense::kLogAll, __FILE_NAME__, __LINE__, \
                               fmt::format(__VA_ARGS__))
