#include <fmt/format.h>
#include <netdb.h>

#include <array>

#include "plugin/config/settings_table.h"
#include "tools/info/report.h"

namespace netsense::info {
namespace {

using Json = nlohmann::json;

Json plugin_json(const PluginFacts& plugin) {
  Json exports = Json::object();
  for (const ExportedInterface& interface : plugin.interfaces) exports[interface.name] = interface.versions;
  return {{"path", plugin.path}, {"error", plugin.error}, {"exports", exports}};
}

Json search_json(const NetSearch& search) {
  return {{"NCCL_NET_PLUGIN", search.variable},
          {"loads", search.loaded},
          {"loads_netsense", search.loaded_is_netsense},
          {"other_default_library", search.default_library},
          {"advice", search.advice}};
}

Json settings_json(const Report& report) {
  Json list = Json::array();
  for (const config::SettingValue& value : report.settings.values) {
    list.push_back({{"name", value.name}, {"value", value.value}, {"source", origin_of(value, report.conf_files)}});
  }
  return list;
}

Json problems_json(const config::LoadedSettings& settings) {
  Json list = Json::array();
  for (const config::Problem& problem : settings.problems) {
    list.push_back({{"variable", problem.variable}, {"message", problem.message}});
  }
  return list;
}

Json interface_json(const transport::Interface& interface, bool used) {
  return {{"name", interface.name},
          {"used", used},
          {"reason", interface.reason},
          {"address", address_of(interface)},
          {"speed_mbps", interface.speed_mbps},
          {"pci_path", interface.pci_path}};
}

Json interfaces_json(const transport::InterfaceChoice& choice) {
  Json list = Json::array();
  for (const auto& interface : choice.chosen) list.push_back(interface_json(interface, true));
  for (const auto& interface : choice.rejected) list.push_back(interface_json(interface, false));
  return list;
}

Json found_json(const Found& found) {
  return {{"found", found.found}, {"detail", found.detail}, {"devices", found.devices}};
}

Json self_test_json(const SelfTest& test) {
  Json devices = Json::array();
  for (const DeviceTest& device : test.devices) {
    devices.push_back({{"device", device.device}, {"passed", device.passed}, {"detail", device.detail}});
  }
  return {{"passed", test.passed}, {"error", test.error}, {"devices", devices}, {"log", test.log}};
}

}  // namespace

std::string origin_of(const config::SettingValue& value, const std::map<std::string, std::string>& conf_files) {
  if (value.source == config::Source::kDefault) return "default";
  const auto file = conf_files.find(std::string(value.variable));
  return fmt::format("{} {}", file == conf_files.end() ? "environment" : file->second, value.variable);
}

std::string address_of(const transport::Interface& interface) {
  std::array<char, NI_MAXHOST> text{};
  const auto* address = reinterpret_cast<const sockaddr*>(&interface.address);
  if (::getnameinfo(address, interface.address_length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) {
    return "";
  }
  return text.data();
}

Json to_json(const Report& report) {
  Json json{{"version", report.version.number},
            {"git_hash", report.version.git_hash},
            {"build_type", report.version.build_type},
            {"plugin", plugin_json(report.plugin)},
            {"nccl", search_json(report.search)},
            {"settings", settings_json(report)},
            {"problems", problems_json(report.settings)},
            {"interfaces", interfaces_json(report.interfaces)},
            {"verbs", found_json(report.verbs)},
            {"cuda", found_json(report.cuda)},
            {"memlock", {{"soft", report.lock_limit.soft}, {"hard", report.lock_limit.hard}}}};
  if (report.self_test) json["self_test"] = self_test_json(*report.self_test);
  return json;
}

}  // namespace netsense::info
