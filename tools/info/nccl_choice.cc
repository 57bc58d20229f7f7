#include "tools/info/nccl_choice.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tools/engine/loader/library.h"

namespace netsense::info {
namespace {

constexpr const char* kDefaultLibrary = "libnccl-net.so";
constexpr const char* kNetworkName = "netsense";

LibraryReport inspect_name(const std::string& name) {
  LibraryReport report;
  for (const std::string& file : engine::library_candidates(engine::PluginKind::kNet, name)) {
    LibraryReport tried = inspect_library(file);
    if (tried.problem.empty()) return tried;
    // The last file's reason is the telling one: the first is the bare name.
    report = std::move(tried);
  }
  return report;
}

std::string folder_of(const LibraryReport& ours) {
  return ours.problem.empty() ? std::filesystem::path(ours.path).parent_path().string() : "";
}

std::string how_to_find(const LibraryReport& ours) {
  const std::string folder = folder_of(ours);
  if (folder.empty()) return "put the folder of libnccl-net-netsense.so on LD_LIBRARY_PATH";
  return fmt::format("put {} on LD_LIBRARY_PATH, or set NCCL_NET_PLUGIN={}", folder, ours.path);
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) && !error;
}

// NCCL_NET, like ncclConfig's netName, admits only the network of that name.
std::string refused_by_name() {
  const char* wanted = std::getenv("NCCL_NET");
  if (wanted == nullptr || *wanted == '\0' || strcasecmp(wanted, kNetworkName) == 0) return "";
  return fmt::format("NCCL does not take netsense, because NCCL_NET={} asks for another network; unset it",
                     wanted);
}

// The plugin that NCCL would take; null when it takes none.
const LibraryReport* taken_by_nccl(const NcclChoice& choice) {
  const auto taken =
      std::find_if(choice.candidates.begin(), choice.candidates.end(),
                   [](const Candidate& candidate) { return candidate.library.problem.empty(); });
  return taken == choice.candidates.end() ? nullptr : &taken->library;
}

}  // namespace

std::string verdict_of(const NcclChoice& choice, const LibraryReport& ours) {
  const LibraryReport* taken = taken_by_nccl(choice);
  if (choice.netsense) {
    if (same_file(taken->path, ours.path)) return "NCCL takes netsense, from this library";
    return fmt::format("NCCL takes netsense, but from another library than this report is about: {}",
                       taken->path);
  }
  if (taken != nullptr && taken->net_name == kNetworkName) return refused_by_name();
  if (taken != nullptr) {
    return fmt::format("NCCL takes another plugin, \"{}\" from {}; set NCCL_NET_PLUGIN=netsense",
                       taken->net_name, taken->path);
  }
  if (!choice.variable) {
    return "NCCL takes none and uses its own InfiniBand or socket network; set NCCL_NET_PLUGIN=netsense";
  }
  if (choice.candidates.empty()) {
    return "NCCL_NET_PLUGIN turns plugins off: NCCL uses its own InfiniBand or socket network; set "
           "NCCL_NET_PLUGIN=netsense";
  }
  return fmt::format(
      "NCCL cannot load what NCCL_NET_PLUGIN names and uses its own InfiniBand or socket network; {}",
      how_to_find(ours));
}

NcclChoice find_nccl_choice() {
  NcclChoice choice;
  if (const char* value = std::getenv("NCCL_NET_PLUGIN")) choice.variable = value;
  for (const std::string& name :
       engine::net_plugin_names(choice.variable ? choice.variable->c_str() : nullptr)) {
    choice.candidates.push_back({name, inspect_name(name)});
  }
  choice.default_library = inspect_library(kDefaultLibrary);
  const LibraryReport* taken = taken_by_nccl(choice);
  choice.netsense = taken != nullptr && taken->net_name == kNetworkName && refused_by_name().empty();
  return choice;
}

}  // namespace netsense::info
