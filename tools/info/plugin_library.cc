#include "tools/info/plugin_library.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string_view>

namespace netsense::info {
namespace {

constexpr const char* kFileName = "libnccl-net-netsense.so";
constexpr const char* kNetSymbol = "ncclNetPlugin";

struct KnownInterface {
  const char* symbol;
  int oldest;
  int newest;
};
constexpr std::array kInterfaces{KnownInterface{kNetSymbol, 6, 12}, KnownInterface{"ncclCollNetPlugin", 6, 12},
                                 KnownInterface{"ncclTunerPlugin", 2, 6}, KnownInterface{"ncclProfiler", 1, 7}};

std::vector<ExportedInterface> exported(const Loaded& library) {
  std::vector<ExportedInterface> result;
  for (const KnownInterface& known : kInterfaces) {
    ExportedInterface interface{known.symbol, {}};
    for (int version = known.oldest; version <= known.newest; ++version) {
      if (library.symbol(fmt::format("{}_v{}", known.symbol, version)) != nullptr) {
        interface.versions.push_back(version);
      }
    }
    if (!interface.versions.empty()) result.push_back(std::move(interface));
  }
  return result;
}

// build/bin and build/lib, or the prefix of an installation.
std::string beside_this_program() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return "";
  const std::filesystem::path file = program.parent_path().parent_path() / "lib" / kFileName;
  return std::filesystem::exists(file, error) ? file.string() : "";
}

}  // namespace

std::optional<Loaded> open_plugin(const std::string& path, PluginFacts* facts) {
  std::string file = path.empty() ? beside_this_program() : path;
  if (file.empty()) file = kFileName;
  Loaded library(file);
  if (!library.valid()) {
    facts->path = file;
    facts->error = library.error();
    return std::nullopt;
  }
  facts->path = library.path();
  facts->interfaces = exported(library);
  return library;
}

bool is_netsense(const Loaded& library) {
  for (int version = kInterfaces[0].newest; version >= kInterfaces[0].oldest; --version) {
    // Every version of the table begins with the name.
    const auto* name = static_cast<const char* const*>(library.symbol(fmt::format("{}_v{}", kNetSymbol, version)));
    if (name != nullptr) return *name != nullptr && std::string_view(*name) == "netsense";
  }
  return false;
}

}  // namespace netsense::info
