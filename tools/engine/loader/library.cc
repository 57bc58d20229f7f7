#include "tools/engine/loader/library.h"

#include <dlfcn.h>
#include <link.h>
#include <strings.h>

#include <array>
#include <utility>

#include "tools/engine/base/logger.h"

namespace netsense::engine {
namespace {

constexpr size_t kMaxExternalPlugins = 14;  // NCCL_NET_MAX_PLUGINS less the two built in
constexpr std::string_view kStaticPlugin = "STATIC_PLUGIN";

struct KindNames {
  const char* log;
  const char* prefix;
  unsigned long subsystems;
};

const KindNames& names(PluginKind kind) {
  static constexpr std::array<KindNames, 3> kNames{{{"NET", "libnccl-net", kLogInit | kLogNet},
                                                    {"TUNER", "libnccl-tuner", kLogInit | kLogTuning},
                                                    {"PROFILER", "libnccl-profiler", kLogInit}}};
  return kNames[static_cast<size_t>(kind)];
}

std::string path_of(void* handle, const std::string& name) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map->l_name == nullptr || *map->l_name == '\0')
    return name;
  return map->l_name;
}

}  // namespace

std::vector<std::string> net_plugin_names(const char* value) {
  if (value == nullptr) return {"libnccl-net.so"};
  if (strcasecmp(value, "none") == 0) return {};
  std::vector<std::string> list;
  std::string_view rest = value;
  while (!rest.empty() && list.size() < kMaxExternalPlugins) {
    const size_t comma = std::min(rest.find(','), rest.size());
    if (comma > 0) list.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return list;
}

std::vector<std::string> library_candidates(PluginKind kind, std::string_view name) {
  const std::string prefix = names(kind).prefix;
  if (name.empty()) return {prefix + ".so"};
  std::vector<std::string> list{std::string(name)};
  const bool is_path = name.find('/') != std::string_view::npos;
  const bool is_library = name.starts_with("lib") && name.ends_with(".so");
  if (!is_path && !is_library) list.push_back(prefix + "-" + std::string(name) + ".so");
  return list;
}

Library Library::open(PluginKind kind, std::string_view name, std::string* problems) {
  const KindNames& kind_names = names(kind);
  std::string missing;
  for (const std::string& file : library_candidates(kind, name)) {
    const bool is_static = strcasecmp(file.c_str(), std::string(kStaticPlugin).c_str()) == 0;
    Library library;
    library.handle_ = dlopen(is_static ? nullptr : file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle_ != nullptr) {
      library.path_ = path_of(library.handle_, file);
      return library;
    }
    // A missing dependency names another file than the one asked for.
    const char* message = dlerror();
    const std::string error = message == nullptr ? "unknown error" : message;
    if (error.find(file) != std::string::npos &&
        error.find("No such file or directory") != std::string::npos) {
      missing += " " + file;
    } else {
      log_info(kind_names.subsystems, "{}/Plugin: {}: {}", kind_names.log, file, error);
      *problems += (problems->empty() ? "" : "; ") + error;
    }
  }
  if (!missing.empty()) {
    log_info(kind_names.subsystems, "{}/Plugin: Could not find:{}", kind_names.log, missing);
    *problems += (problems->empty() ? "" : "; ") + ("could not find" + missing);
  }
  return {};
}

Library::Library(Library&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)) {}

Library& Library::operator=(Library&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  return *this;
}

Library::~Library() {
  if (handle_ != nullptr) dlclose(handle_);
}

}  // namespace netsense::engine
