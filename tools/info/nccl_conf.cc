#include "tools/info/nccl_conf.h"

#include <cstdlib>
#include <fstream>
#include <string_view>

namespace netsense::info {
namespace {

std::vector<std::string> conf_files() {
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

}  // namespace

std::vector<ConfEntry> parse_nccl_conf(std::istream& text, const std::string& file) {
  std::vector<ConfEntry> entries;
  for (std::string line; std::getline(text, line);) {
    if (line.ends_with('\r')) line.pop_back();
    const size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string::npos) continue;
    entries.push_back({line.substr(0, equals), line.substr(equals + 1), file});
  }
  return entries;
}

std::vector<ConfEntry> apply_nccl_conf() {
  std::vector<ConfEntry> set;
  for (const std::string& file : conf_files()) {
    std::ifstream text(file);
    for (ConfEntry& entry : parse_nccl_conf(text, file)) {
      if (std::getenv(entry.name.c_str()) != nullptr) continue;
      if (setenv(entry.name.c_str(), entry.value.c_str(), 0) == 0) set.push_back(std::move(entry));
    }
  }
  return set;
}

}  // namespace netsense::info
