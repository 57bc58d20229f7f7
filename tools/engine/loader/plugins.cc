#include "tools/engine/loader/plugins.h"

#include <cstdlib>
#include <mutex>
#include <optional>
#include <vector>

#include "tools/engine/base/env.h"
#include "tools/engine/base/error.h"
#include "tools/engine/base/logger.h"
#include "tools/engine/loader/library.h"
#include "tools/engine/loader/net_adapter.h"
#include "tools/engine/proxy/profile.h"

namespace netsense::engine {
namespace {

constexpr unsigned long kNetLog = kLogInit | kLogNet;

// A tuner or profiler and the library it lives in.
template <typename Plugin>
struct Extra {
  Library library;
  std::shared_ptr<Plugin> plugin;
};

// The net library in use, and what else of it is used.
struct Loaded {
  std::string name;    // as NCCL_NET_PLUGIN gave it
  std::string unused;  // the other names there, for the log
  Library library;
  Extra<Tuner> tuner;
  Extra<Profiler> profiler;
  std::shared_ptr<Net> net;
  std::shared_ptr<CollNet> collnet;
  int devices = 0;          // 0: not asked yet
  int collnet_devices = 0;  // 0: not asked yet, -1: unusable
  int profiler_mask = 0;

  ~Loaded() {
    if (library.valid()) log_info(kNetLog, "Unloading plugin {}", name);
  }
};

struct Registry {
  std::mutex mutex;
  std::weak_ptr<Loaded> current;
  std::shared_ptr<Loaded> kept;  // NCCL_NET_PLUGIN_REF_COUNT: never unloaded
};

Registry& registry() {
  static Registry registry;
  return registry;
}

// The plugin that `variable` names, else the one in the default library of its kind, else the net library's.
template <typename Plugin>
Extra<Plugin> find_extra(PluginKind kind, const char* variable, void* net_library,
                         std::shared_ptr<Plugin> (*find)(void*)) {
  const auto name = env_string(variable);
  if (name && *name == "none") return {};
  std::string problems;
  Extra<Plugin> extra{Library::open(kind, name.value_or(""), &problems), nullptr};
  extra.plugin = find(extra.library.valid() ? extra.library.handle() : net_library);
  return extra;
}

std::string join_others(const std::vector<std::string>& names, const std::string& name) {
  std::string text;
  for (const std::string& other : names) {
    if (other != name) text += (text.empty() ? "" : ", ") + other;
  }
  return text;
}

std::shared_ptr<Loaded> load(const std::vector<std::string>& names, const std::string& name,
                             int wanted_version, std::string* problems) {
  auto loaded = std::make_shared<Loaded>();
  loaded->name = name;
  loaded->unused = join_others(names, name);
  loaded->library = Library::open(PluginKind::kNet, name, problems);
  if (!loaded->library.valid()) return nullptr;
  std::string tried;
  loaded->net = find_net(loaded->library.handle(), wanted_version, &tried);
  if (!loaded->net) {
    log_info(kNetLog, "External network plugin {} is unsupported", loaded->library.path());
    *problems +=
        (problems->empty() ? "" : "; ") + fmt::format("{} has none of {}", loaded->library.path(), tried);
    return nullptr;
  }
  loaded->collnet = find_collnet(loaded->library.handle());
  log_info(kNetLog, "Successfully loaded external network plugin {}", loaded->library.path());
  return loaded;
}

// Init for this communicator. False when the net cannot be used.
bool initialise(Loaded& loaded, uint64_t comm_id, PluginWrapper& wrapper, PluginSet& set,
                std::string* problems) {
  set.net = wrapper.wrap(loaded.net);
  const ns_result result = set.net->init({comm_id, -1, &profiler_callback}, &set.net_context);
  if (result == ns_success && loaded.devices == 0) {
    const ns_result asked = set.net->devices(&loaded.devices);
    if (asked != ns_success || loaded.devices < 0) loaded.devices = 0;
  }
  if (result != ns_success || loaded.devices == 0) {
    log_info(kNetLog, "Failed to initialize NET plugin {}", set.net->name());
    const std::string reason = result != ns_success
                                   ? fmt::format("its init returned {}", result_name(result))
                                   : "it offers no device (NCCL_DEBUG=WARN or netsense-info tells why)";
    *problems += (problems->empty() ? "" : "; ") + fmt::format("{}: {}", set.net->name(), reason);
    set.net->finalize(set.net_context);
    return false;
  }
  set.devices = loaded.devices;
  log_info(kNetLog, "Initialized NET plugin {}", set.net->name());
  return true;
}

void initialise_collnet(Loaded& loaded, uint64_t comm_id, PluginWrapper& wrapper, PluginSet& set) {
  if (!loaded.collnet || loaded.collnet_devices < 0) return;
  set.collnet = wrapper.wrap(loaded.collnet);
  bool usable = set.collnet->init(comm_id, &set.collnet_context) == ns_success;
  if (usable && loaded.collnet_devices == 0) {
    usable = set.collnet->devices(&loaded.collnet_devices) == ns_success && loaded.collnet_devices > 0;
  }
  if (!usable) {
    loaded.collnet_devices = -1;
    set.collnet = nullptr;
    return;
  }
  set.collnet_devices = loaded.collnet_devices;
}

// NCCL checks the first device of each communicator's network.
void check_device(Net& net) {
  DeviceProperties properties;
  check(net.properties(0, &properties), "the net plugin's getProperties");
  if (properties.device_type != 0) fail(ns_internal_error, "plugin {} moves data on the device", net.name());
}

bool use(const std::shared_ptr<Loaded>& loaded, uint64_t comm_id, PluginWrapper& wrapper, PluginSet& set,
         std::string* problems) {
  if (!initialise(*loaded, comm_id, wrapper, set, problems)) return false;
  initialise_collnet(*loaded, comm_id, wrapper, set);
  check_device(*set.net);
  log_info(kNetLog, "Assigned NET plugin {} to comm", set.net->name());
  if (!loaded->unused.empty()) log_info(kNetLog, "Disabling external plugins: {}", loaded->unused);
  set.libraries = loaded;
  return true;
}

std::string advice(bool asked, const std::string& reason) {
  if (!asked)
    return "; set NCCL_NET_PLUGIN to a plugin's name, with its folder on LD_LIBRARY_PATH, or to its path";
  if (reason.find("could not find") == std::string::npos) return "";
  return "; the folder of a plugin given by its name must be on LD_LIBRARY_PATH";
}

std::shared_ptr<Loaded> find_usable(uint64_t comm_id, PluginWrapper& wrapper, PluginSet& set) {
  const auto value = env_string("NCCL_NET_PLUGIN");
  if (value) log_info(kLogEnv | kLogNet, "NCCL_NET_PLUGIN set by environment to {}", *value);
  const int version = static_cast<int>(env_int("NS_ENGINE_NET_VERSION", 0));
  std::string problems;
  const std::vector<std::string> names = net_plugin_names(value ? value->c_str() : nullptr);
  for (const std::string& name : names) {
    std::shared_ptr<Loaded> loaded = load(names, name, version, &problems);
    if (loaded && use(loaded, comm_id, wrapper, set, &problems)) return loaded;
    set = {};
  }
  const std::string reason = problems.empty() ? "NCCL_NET_PLUGIN names none" : problems;
  NS_ENGINE_WARN("Failed to initialize any NET plugin: {}. The engine has no network of its own.", reason);
  fail(ns_invalid_usage, "no network plugin could be used: {}{}", reason, advice(value.has_value(), reason));
}

}  // namespace

PluginSet acquire_plugins(uint64_t comm_id, PluginWrapper& wrapper) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  PluginSet set;
  std::shared_ptr<Loaded> loaded = all.current.lock();
  if (loaded) {
    std::string problems;
    if (!use(loaded, comm_id, wrapper, set, &problems)) fail(ns_invalid_usage, "{}", problems);
  } else {
    loaded = find_usable(comm_id, wrapper, set);
    void* handle = loaded->library.handle();
    loaded->tuner = find_extra<Tuner>(PluginKind::kTuner, "NCCL_TUNER_PLUGIN", handle, &find_tuner);
    loaded->profiler =
        find_extra<Profiler>(PluginKind::kProfiler, "NCCL_PROFILER_PLUGIN", handle, &find_profiler);
    all.current = loaded;
    if (env_int("NCCL_NET_PLUGIN_REF_COUNT", 0) > 0) all.kept = loaded;
  }
  if (loaded->tuner.plugin) set.tuner = wrapper.wrap(loaded->tuner.plugin);
  if (loaded->profiler.plugin) set.profiler = wrapper.wrap(loaded->profiler.plugin);
  set.profiler_mask = &loaded->profiler_mask;
  return set;
}

void finalize_plugins(PluginSet& plugins) {
  plugins.net->finalize(plugins.net_context);
  if (plugins.collnet) plugins.collnet->finalize(plugins.collnet_context);
}

}  // namespace netsense::engine
