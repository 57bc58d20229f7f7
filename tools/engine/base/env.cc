#include "tools/engine/base/env.h"

#include <cerrno>
#include <cstdlib>

#include "tools/engine/base/logger.h"

namespace netsense::engine {

std::optional<std::string> env_string(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

int64_t env_int(const char* name, int64_t otherwise) {
  const auto text = env_string(name);
  if (!text || text->empty()) return otherwise;
  char* end = nullptr;
  errno = 0;
  const int64_t value = std::strtoll(text->c_str(), &end, 0);
  if (errno != 0 || *end != '\0') {
    log_info(kLogEnv, "Invalid value {} for {}, using default {}.", *text, name, otherwise);
    return otherwise;
  }
  return value;
}

}  // namespace netsense::engine
