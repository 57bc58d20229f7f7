#include "tools/info/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "tools/engine/loader/library.h"
#include "tools/engine/loader/net_adapter.h"

namespace netsense::info {
namespace {

constexpr const char* kLibraryName = "libnccl-net-netsense.so";
// Above what any NCCL knows today, so that a newer library is shown as it is.
constexpr int kHighestVersion = 20;

std::string default_path() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return kLibraryName;
  auto beside = program.parent_path().parent_path() / "lib" / kLibraryName;
  return std::filesystem::exists(beside, error) ? beside.string() : kLibraryName;
}

ExportedVersions find_versions(void* library, std::string kind, std::string symbol) {
  ExportedVersions found{std::move(kind), std::move(symbol), {}};
  for (int version = 1; version <= kHighestVersion; ++version) {
    if (dlsym(library, fmt::format("{}{}", found.symbol, version).c_str()) != nullptr) {
      found.versions.push_back(version);
    }
  }
  return found;
}

}  // namespace

LibraryReport inspect_library(const std::string& path) {
  LibraryReport report;
  report.path = path.empty() ? default_path() : path;
  const engine::Library library =
      engine::Library::open(engine::PluginKind::kNet, report.path, &report.problem);
  if (!library.valid()) return report;
  report.problem.clear();
  report.path = library.path();
  report.exports = {find_versions(library.handle(), "net", "ncclNetPlugin_v"),
                    find_versions(library.handle(), "collnet", "ncclCollNetPlugin_v"),
                    find_versions(library.handle(), "tuner", "ncclTunerPlugin_v"),
                    find_versions(library.handle(), "profiler", "ncclProfiler_v")};
  std::string tried;
  const auto net = engine::find_net(library.handle(), 0, &tried);
  if (net == nullptr) {
    report.problem = fmt::format("it is no network plugin that NCCL can use: it has none of {}", tried);
  } else {
    report.net_name = net->name();
  }
  return report;
}

}  // namespace netsense::info
