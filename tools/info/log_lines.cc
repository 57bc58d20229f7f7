#include "tools/info/log_lines.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <mutex>

namespace netsense::info {
namespace {

// NCCL's logger is a bare function, so what it collects must be reachable without an argument.
struct Collection {
  std::mutex mutex;
  std::vector<std::string> lines;
};
Collection& collection() {
  static Collection collection;
  return collection;
}

__attribute__((format(printf, 5, 6))) void collect(int level, unsigned long /*subsystems*/, const char* /*file*/,
                                                   int /*line*/, const char* format, ...) {
  if (level != abi::kLogWarn && level != abi::kLogInfo) return;
  std::array<char, 2048> text{};
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  Collection& all = collection();
  const std::scoped_lock lock(all.mutex);
  all.lines.push_back(std::string(level == abi::kLogWarn ? "WARN: " : "") + text.data());
}

}  // namespace

abi::DebugLogger line_collector() { return &collect; }

std::vector<std::string> collected_lines() {
  Collection& all = collection();
  const std::scoped_lock lock(all.mutex);
  return all.lines;
}

}  // namespace netsense::info
