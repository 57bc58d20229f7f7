// The plugin as NCCL sees it: a file with symbols.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/info/loaded.h"

namespace netsense::info {

// One of NCCL's plugin interfaces and the versions of it that a library exports.
struct ExportedInterface {
  std::string name;  // "ncclNetPlugin"
  std::vector<int> versions;
};

struct PluginFacts {
  std::string path;   // of the file; what was tried when it could not be loaded
  std::string error;  // why it could not be loaded; empty: it was
  std::vector<ExportedInterface> interfaces;
};

// path: the file; empty: the one beside this program (../lib), else the one the loader finds. `facts` says what came
// of it.
std::optional<Loaded> open_plugin(const std::string& path, PluginFacts* facts);

// Whether the library's newest network interface calls itself netsense.
bool is_netsense(const Loaded& library);

}  // namespace netsense::info
