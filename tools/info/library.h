// The plugin library: where it is, and what it exports.
#pragma once

#include <string>
#include <vector>

namespace netsense::info {

// The versions of one kind of plugin that a library exports.
struct ExportedVersions {
  std::string kind;    // "net", "collnet", "tuner" or "profiler"
  std::string symbol;  // without the number
  std::vector<int> versions;
};

struct LibraryReport {
  std::string path;      // as the dynamic loader found it; what was asked for when it did not
  std::string problem;   // why it cannot be used; empty: it can
  std::string net_name;  // what its newest ncclNet calls itself
  std::vector<ExportedVersions> exports;
};

// path: a file, a name for the dynamic loader, or "" for the library of this build: in ../lib beside the
// program, else by its name on the loader's path.
LibraryReport inspect_library(const std::string& path);

}  // namespace netsense::info
