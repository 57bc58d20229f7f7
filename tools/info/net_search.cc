#include "tools/info/net_search.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tools/info/isolated.h"
#include "tools/info/loaded.h"
#include "tools/info/plugin_library.h"

namespace netsense::info {
namespace {

using Json = nlohmann::json;

constexpr const char* kDefaultLibrary = "libnccl-net.so";
constexpr std::chrono::milliseconds kProbeLimit{10000};

bool turns_plugins_off(const std::string& variable) { return strcasecmp(variable.c_str(), "none") == 0; }

struct Candidate {
  std::string path;
  bool is_netsense = false;
};

// Loads the library in a process of its own: a plugin may do anything when it is loaded.
Candidate look_at(const std::string& file) {
  const Outcome outcome = run_isolated(
      [&file] {
        const Loaded library(file);
        return Json{{"path", library.path()}, {"netsense", library.valid() && is_netsense(library)}}.dump();
      },
      kProbeLimit);
  if (!outcome.finished) return {};
  const Json facts = Json::parse(outcome.text);
  return {facts.at("path").get<std::string>(), facts.at("netsense").get<bool>()};
}

std::vector<std::string> entries_of(std::string_view list) {
  std::vector<std::string> entries;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) entries.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return entries;
}

// The first library in NCCL's order that can be loaded.
Candidate first_loadable(const std::vector<std::string>& entries) {
  for (const std::string& entry : entries) {
    for (const std::string& file : plugin_file_names(entry)) {
      Candidate found = look_at(file);
      if (!found.path.empty()) return found;
    }
  }
  return {};
}

std::string advise(const NetSearch& search) {
  if (search.loaded_is_netsense) return "";
  if (turns_plugins_off(search.variable)) return "this turns plugins off: set NCCL_NET_PLUGIN=netsense";
  if (search.variable.empty()) {
    return search.loaded.empty() ? "set NCCL_NET_PLUGIN=netsense"
                                 : "another plugin would be used: set NCCL_NET_PLUGIN=netsense";
  }
  if (search.loaded.empty()) {
    return "NCCL would find no plugin: put the folder of libnccl-net-netsense.so on LD_LIBRARY_PATH";
  }
  return "NCCL_NET_PLUGIN names another plugin first: set NCCL_NET_PLUGIN=netsense";
}

}  // namespace

std::vector<std::string> plugin_file_names(const std::string& entry) {
  const bool is_path = entry.find('/') != std::string::npos;
  const bool is_library = entry.starts_with("lib") && entry.ends_with(".so");
  if (is_path || is_library) return {entry};
  return {entry, fmt::format("libnccl-net-{}.so", entry)};
}

NetSearch search_net_plugin(const char* net_plugin) {
  NetSearch search;
  std::vector<std::string> entries{kDefaultLibrary};
  if (net_plugin != nullptr) {
    search.variable = net_plugin;
    entries = turns_plugins_off(search.variable) ? std::vector<std::string>{} : entries_of(net_plugin);
  }
  const Candidate first = first_loadable(entries);
  search.loaded = first.path;
  search.loaded_is_netsense = first.is_netsense;
  const Candidate standard = look_at(kDefaultLibrary);
  if (!standard.is_netsense) search.default_library = standard.path;
  search.advice = advise(search);
  return search;
}

}  // namespace netsense::info
