// What this build is.
#pragma once

#include <string>

namespace netsense::info {

struct Version {
  std::string number;      // "0.1.0"
  std::string git_hash;    // "unknown" outside a git tree
  std::string build_type;  // "Release"
};

Version version();

}  // namespace netsense::info
