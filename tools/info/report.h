// Everything netsense-info finds out, and the two ways to show it.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "plugin/config/settings.h"
#include "plugin/transport/netif.h"
#include "tools/info/machine.h"
#include "tools/info/net_search.h"
#include "tools/info/plugin_library.h"
#include "tools/info/self_test.h"
#include "tools/info/version.h"

namespace netsense::info {

struct Report {
  Version version;
  PluginFacts plugin;
  NetSearch search;
  config::LoadedSettings settings;
  std::map<std::string, std::string> conf_files;  // variable to the nccl.conf that set it
  transport::InterfaceChoice interfaces;
  Found verbs;
  Found cuda;
  LockLimit lock_limit;
  std::optional<SelfTest> self_test;  // empty: not asked for, or there is no library to test
};

// "default", "environment NETSENSE_X" or "/etc/nccl.conf NETSENSE_X".
std::string origin_of(const config::SettingValue& value, const std::map<std::string, std::string>& conf_files);

// "192.0.2.1"; empty when the interface has none.
std::string address_of(const transport::Interface& interface);

std::string to_text(const Report& report);
nlohmann::json to_json(const Report& report);

}  // namespace netsense::info
