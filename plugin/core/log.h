// NCCL's logger, or nothing when NCCL gave none. Never called on the data path.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "plugin/core/log_level.h"

namespace netsense {

// Keeps NCCL's logger for the process; a null function is ignored when one is known already.
void set_log_function(LogFunction function);

void log_line(LogLevel level, unsigned long flags, const char* file, int line,
              std::string_view text) noexcept;

template <typename... Args>
void log_format(LogLevel level, unsigned long flags, const char* file, int line,
                fmt::format_string<Args...> format, Args&&... args) noexcept {
  try {
    log_line(level, flags, file, line, fmt::format(format, std::forward<Args>(args)...));
  } catch (...) {
    log_line(level, flags, file, line, "out of memory while writing a log line");
  }
}

}  // namespace netsense

// What the user can act on, with the action. Also becomes ncclGetLastError's text.
#define NETSENSE_WARN(...)                                                                          \
  ::netsense::log_format(::netsense::LogLevel::kWarn, ::netsense::kLogAll, __FILE_NAME__, __LINE__, \
                         __VA_ARGS__)
// Start-up lines, shown with NCCL_DEBUG=INFO.
#define NETSENSE_INFO_INIT(...)                                                                   \
  ::netsense::log_format(::netsense::LogLevel::kInfo, ::netsense::kLogInit | ::netsense::kLogNet, \
                         __FILE_NAME__, __LINE__, __VA_ARGS__)
