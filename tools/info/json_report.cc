#include <nlohmann/json.hpp>

#include "tools/info/print.h"

namespace netsense::info {
namespace {

using nlohmann::json;

json to_json(const LibraryReport& library) {
  json exports = json::object();
  for (const ExportedVersions& exported : library.exports) exports[exported.kind] = exported.versions;
  return {{"path", library.path},
          {"usable", library.problem.empty()},
          {"problem", library.problem},
          {"network", library.net_name},
          {"exports", exports}};
}

json to_json(const NcclChoice& nccl) {
  json candidates = json::array();
  for (const Candidate& candidate : nccl.candidates) {
    candidates.push_back({{"name", candidate.name}, {"library", to_json(candidate.library)}});
  }
  return {{"nccl_net_plugin", nccl.variable ? json(*nccl.variable) : json()},
          {"candidates", candidates},
          {"default_library", to_json(nccl.default_library)},
          {"netsense", nccl.netsense},
          {"verdict", nccl.verdict}};
}

const char* source_name(config::Source source) {
  switch (source) {
    case config::Source::kNetsense:
      return "netsense";
    case config::Source::kNccl:
      return "nccl";
    case config::Source::kDefault:
      break;
  }
  return "default";
}

json settings_json(const Report& report) {
  json settings = json::array();
  for (const config::SettingValue& value : report.settings.values) {
    const std::optional<int> meaning = auto_meaning(value, report);
    settings.push_back({{"name", value.name},
                        {"value", value.value},
                        {"auto_is", meaning ? json(*meaning) : json()},
                        {"source", source_name(value.source)},
                        {"from", source_text(value, report.conf)}});
  }
  return settings;
}

json problems_json(const config::LoadedSettings& settings) {
  json problems = json::array();
  for (const config::Problem& problem : settings.problems) {
    problems.push_back({{"variable", problem.variable}, {"message", problem.message}});
  }
  return problems;
}

json to_json(const transport::Interface& interface, bool used) {
  return {{"name", interface.name},
          {"used", used},
          {"address", address_text(interface)},
          {"speed_mbps", interface.speed_mbps},
          {"speed_assumed", interface.speed_assumed},
          {"pci_path", interface.pci_path},
          {"reason", interface.reason}};
}

json to_json(const transport::InterfaceChoice& choice) {
  json interfaces = json::array();
  for (const auto& interface : choice.chosen) interfaces.push_back(to_json(interface, true));
  for (const auto& interface : choice.rejected) interfaces.push_back(to_json(interface, false));
  return interfaces;
}

json to_json(const Facility& facility) {
  return {{"found", facility.found}, {"devices", facility.devices}, {"detail", facility.detail}};
}

json to_json(const SelfTest& test) {
  return {{"run", test.run},         {"passed", test.passed},
          {"detail", test.detail},   {"net_version", test.net_version},
          {"devices", test.devices}, {"sizes", test.sizes},
          {"log", test.log}};
}

}  // namespace

std::string json_report(const Report& report) {
  const json result = {{"version", report.version.number},
                       {"git", report.version.git},
                       {"build_type", report.version.build_type},
                       {"library", to_json(report.library)},
                       {"nccl", to_json(report.nccl)},
                       {"settings", settings_json(report)},
                       {"problems", problems_json(report.settings)},
                       {"interfaces", to_json(report.interfaces)},
                       {"verbs", to_json(report.verbs)},
                       {"cuda", to_json(report.cuda)},
                       {"memlock_bytes", report.memlock ? json(*report.memlock) : json()},
                       {"self_test", to_json(report.self_test)}};
  // Names and values from outside need not be UTF-8.
  return result.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace netsense::info
