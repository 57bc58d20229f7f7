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

bool is_named(const NcclChoice& choice) {
  return choice.variable && std::any_of(choice.candidates.begin(), choice.candidates.end(),
                                        [](const auto& each) { return each.name == kNetworkName; });
}

// What to do so that NCCL takes netsense, beginning in lower case.
std::string how_to_take(const NcclChoice& choice, const LibraryReport& ours) {
  const std::string name_it = "set NCCL_NET_PLUGIN=netsense";
  if (choice.found_by_name) return name_it;
  const std::string start = is_named(choice) ? "" : name_it + " and ";
  const std::string folder = folder_of(ours);
  if (folder.empty()) return start + "put the folder of libnccl-net-netsense.so on LD_LIBRARY_PATH";
  return fmt::format("{}put {} on LD_LIBRARY_PATH, or set NCCL_NET_PLUGIN={}", start, folder, ours.path);
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

std::string verdict_of(const NcclChoice& choice, const LibraryReport& ours, bool has_device) {
  const LibraryReport* taken = taken_by_nccl(choice);
  if (choice.netsense) {
    if (!has_device) {
      return "NCCL finds netsense, but it offers no device (see the interfaces), so NCCL goes on to its "
             "other networks";
    }
    if (same_file(taken->path, ours.path)) return "NCCL takes netsense, from this library";
    return fmt::format("NCCL takes netsense, but from another library than this report is about: {}",
                       taken->path);
  }
  if (taken != nullptr && taken->net_name == kNetworkName) return refused_by_name();
  if (taken != nullptr) {
    return fmt::format("NCCL takes another plugin, \"{}\" from {}; {}", taken->net_name, taken->path,
                       how_to_take(choice, ours));
  }
  if (!choice.variable) {
    return "NCCL takes none and uses its own InfiniBand or socket network; " + how_to_take(choice, ours);
  }
  if (choice.candidates.empty()) {
    return "NCCL_NET_PLUGIN turns plugins off: NCCL uses its own InfiniBand or socket network; " +
           how_to_take(choice, ours);
  }
  return fmt::format(
      "NCCL cannot load what NCCL_NET_PLUGIN names and uses its own InfiniBand or socket network; {}",
      how_to_take(choice, ours));
}

}  // namespace

void conclude(NcclChoice* choice, const LibraryReport& ours, bool has_device) {
  choice->verdict = verdict_of(*choice, ours, has_device);
  choice->netsense = choice->netsense && has_device;
}

NcclChoice find_nccl_choice() {
  NcclChoice choice;
  if (const char* value = std::getenv("NCCL_NET_PLUGIN")) choice.variable = value;
  for (const std::string& name :
       engine::net_plugin_names(choice.variable ? choice.variable->c_str() : nullptr)) {
    choice.candidates.push_back({name, inspect_name(name)});
  }
  choice.found_by_name = inspect_name(kNetworkName).net_name == kNetworkName;
  choice.default_library = inspect_library(kDefaultLibrary);
  const LibraryReport* taken = taken_by_nccl(choice);
  choice.netsense = taken != nullptr && taken->net_name == kNetworkName && refused_by_name().empty();
  return choice;
}

}  // namespace netsense::info
