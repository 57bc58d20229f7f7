#include "plugin/core/log.h"

#include <atomic>

namespace netsense {
namespace {

std::atomic<LogFunction>& logger() {
  static std::atomic<LogFunction> function{nullptr};
  return function;
}

}  // namespace

void set_log_function(LogFunction function) {
  if (function != nullptr) logger().store(function, std::memory_order_release);
}

void log_line(LogLevel level, unsigned long flags, const char* file, int line,
              std::string_view text) noexcept {
  const LogFunction function = logger().load(std::memory_order_acquire);
  if (function == nullptr) return;
  function(static_cast<int>(level), flags, file, line, "NET/netsense : %.*s", static_cast<int>(text.size()),
           text.data());
}

}  // namespace netsense
