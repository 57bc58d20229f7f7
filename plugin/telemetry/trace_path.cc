#include "plugin/telemetry/trace_path.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace netsense::telemetry {
namespace {

constexpr std::string_view kName = "netsense.%h.%p.trace";

std::string replace(std::string_view pattern, std::string_view host, uint64_t pid) {
  std::string path;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (next == 'h') {
      path += host;
    } else if (next == 'p') {
      path += fmt::format("{}", pid);
    } else if (next == '%') {
      path += '%';
    } else {
      path += pattern[i];
      continue;
    }
    ++i;
  }
  return path;
}

bool is_directory(const std::string& path) {
  struct stat found {};
  return path.ends_with('/') || (::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode));
}

}  // namespace

std::string trace_path(std::string_view pattern, std::string_view host, uint64_t pid) {
  const std::string path = replace(pattern, host, pid);
  if (!is_directory(path)) return path;
  return fmt::format("{}{}{}", path, path.ends_with('/') ? "" : "/", replace(kName, host, pid));
}

}  // namespace netsense::telemetry
