#include "tools/info/nccl_conf.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace netsense::info {

std::vector<ConfEntry> parse_nccl_conf(std::istream& file) {
  constexpr size_t kLongest = 1023;
  std::vector<ConfEntry> entries;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    const size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string::npos || equals == 0) continue;
    entries.push_back({line.substr(0, std::min(equals, kLongest)), line.substr(equals + 1, kLongest)});
  }
  return entries;
}

std::vector<std::string> nccl_conf_files() {
  std::vector<std::string> files;
  const char* named = std::getenv("NCCL_CONF_FILE");
  const char* home = std::getenv("HOME");
  if (named != nullptr && *named != '\0') {
    files.emplace_back(named);
  } else if (home != nullptr) {
    files.push_back(std::string(home) + "/.nccl.conf");
  }
  files.emplace_back("/etc/nccl.conf");
  return files;
}

std::map<std::string, std::string> apply_nccl_conf(const std::vector<std::string>& files) {
  std::map<std::string, std::string> origins;
  for (const std::string& name : files) {
    std::ifstream file(name);
    for (const ConfEntry& entry : parse_nccl_conf(file)) {
      if (std::getenv(entry.name.c_str()) != nullptr) continue;
      if (::setenv(entry.name.c_str(), entry.value.c_str(), 0) == 0) origins.emplace(entry.name, name);
    }
  }
  return origins;
}

}  // namespace netsense::info
