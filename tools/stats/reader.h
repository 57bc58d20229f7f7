// The statistics files in a directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plugin/telemetry/parse.h"

namespace netsense::stats {

inline constexpr const char* kDefaultDirectory = "/dev/shm";

struct Unreadable {
  std::string file;
  std::string why;
};

struct Host {
  // By pid. Without the files that processes which have ended left behind.
  std::vector<telemetry::Snapshot> processes;
  std::vector<Unreadable> unreadable;
  size_t leftovers = 0;
};

// Never fails for what lies in the directory, whoever put it there. Throws std::runtime_error when the
// directory itself cannot be read.
Host read_host(const std::filesystem::path& directory);

}  // namespace netsense::stats
