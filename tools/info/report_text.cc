#include <fmt/format.h>

#include <algorithm>

#include "plugin/config/settings_table.h"
#include "tools/info/report.h"

namespace netsense::info {
namespace {

std::string plugin_text(const PluginFacts& plugin) {
  if (!plugin.error.empty()) return fmt::format("\nPlugin\n  ! cannot be loaded: {}\n", plugin.error);
  std::string text = fmt::format("\nPlugin\n  library   {}\n", plugin.path);
  const char* label = "exports";
  for (const ExportedInterface& interface : plugin.interfaces) {
    std::string versions;
    for (const int version : interface.versions) versions += fmt::format(" v{}", version);
    text += fmt::format("  {:8}  {}{}\n", label, interface.name, versions);
    label = "";
  }
  return text;
}

std::string search_text(const NetSearch& search) {
  std::string text = "\nNCCL here\n";
  text += fmt::format("  NCCL_NET_PLUGIN  {}\n", search.variable.empty() ? "not set" : search.variable);
  text += fmt::format("  loads            {}\n", search.loaded.empty() ? "no plugin" : search.loaded);
  if (!search.default_library.empty()) {
    text += fmt::format("  also there       {}, which NCCL takes when NCCL_NET_PLUGIN is not set\n",
                        search.default_library);
  }
  if (!search.advice.empty()) text += fmt::format("  ! {}\n", search.advice);
  return text;
}

// What an empty value stands for.
std::string_view empty_means(std::string_view name) {
  const auto table = config::settings_table();
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& s) { return s.name == name; });
  return found == table.end() ? "" : found->empty_means;
}

std::string settings_text(const Report& report) {
  std::string text = "\nSettings\n";
  for (const config::SettingValue& value : report.settings.values) {
    text += fmt::format("  {:24}  {:20}  {}\n", value.name,
                        value.value.empty() ? fmt::format("({})", empty_means(value.name)) : value.value,
                        origin_of(value, report.conf_files));
  }
  for (const config::Problem& problem : report.settings.problems) text += fmt::format("  ! {}\n", problem.message);
  return text;
}

std::string interface_line(char mark, const transport::Interface& interface) {
  const std::string address = address_of(interface);
  const std::string speed = interface.address_length == 0 ? "" : fmt::format("{} Mbit/s", interface.speed_mbps);
  return fmt::format("  {} {:10}  {:24}  {:>13}  {}\n", mark, interface.name, address.empty() ? "no address" : address,
                     speed, interface.reason);
}

std::string interfaces_text(const transport::InterfaceChoice& choice) {
  std::string text = "\nInterfaces (+ used, - not used)\n";
  for (const auto& interface : choice.chosen) {
    text += interface_line('+', interface);
    text += fmt::format("    {}\n", interface.pci_path.empty() ? "virtual: no device in sysfs" : interface.pci_path);
  }
  for (const auto& interface : choice.rejected) text += interface_line('-', interface);
  if (choice.chosen.empty()) text += "  ! no interface can be used, so NCCL will go on to its other networks\n";
  return text;
}

std::string found_line(const char* label, const Found& found) {
  if (!found.found) return fmt::format("  {:9} not usable: {}\n", label, found.detail);
  std::string devices;
  for (const std::string& device : found.devices) devices += fmt::format("{}{}", devices.empty() ? "" : ", ", device);
  return fmt::format("  {:9} {} device{}{}{} ({})\n", label, found.devices.size(),
                     found.devices.size() == 1 ? "" : "s", devices.empty() ? "" : ": ", devices, found.detail);
}

std::string machine_text(const Report& report) {
  return "\nMachine (the TCP transport needs none of these)\n" + found_line("verbs", report.verbs) +
         found_line("CUDA", report.cuda) +
         fmt::format("  {:9} {}, at most {}\n", "memlock", report.lock_limit.soft, report.lock_limit.hard);
}

std::string self_test_text(const SelfTest& test) {
  std::string text = "\nSelf test (this process to itself, through the exported symbols)\n";
  for (const std::string& line : test.log) text += fmt::format("  log  {}\n", line);
  for (const DeviceTest& device : test.devices) {
    text += fmt::format("  {} {:10}  {}\n", device.passed ? "+" : "!", device.device, device.detail);
  }
  if (!test.error.empty()) text += fmt::format("  ! {}\n", test.error);
  return text + (test.passed ? "  passed\n" : "  FAILED\n");
}

}  // namespace

std::string to_text(const Report& report) {
  std::string text = fmt::format("netsense {} (git {}, {})\n", report.version.number, report.version.git_hash,
                                 report.version.build_type);
  text += plugin_text(report.plugin) + search_text(report.search) + settings_text(report) +
          interfaces_text(report.interfaces) + machine_text(report);
  if (report.self_test) text += self_test_text(*report.self_test);
  return text;
}

}  // namespace netsense::info
