#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "plugin/config/settings_table.h"
#include "tools/info/print.h"

namespace netsense::info {
namespace {

std::string bytes_text(uint64_t bytes) {
  constexpr uint64_t kKibi = 1024;
  return bytes % kKibi == 0 ? fmt::format("{} KiB", bytes / kKibi) : fmt::format("{} bytes", bytes);
}

std::string library_section(const LibraryReport& library) {
  std::string text = fmt::format("Library\n  {}\n", library.path);
  if (!library.problem.empty()) text += fmt::format("  problem: {}\n", library.problem);
  if (!library.net_name.empty()) text += fmt::format("  network \"{}\"\n", library.net_name);
  for (const ExportedVersions& exported : library.exports) {
    const std::string versions = fmt::format("versions {}", fmt::join(exported.versions, " "));
    text +=
        fmt::format("  {:<22} {}\n", exported.symbol + "*", exported.versions.empty() ? "none" : versions);
  }
  return text;
}

std::string candidate_line(const std::string& name, const LibraryReport& library) {
  if (!library.problem.empty()) return fmt::format("  {}: {}\n", name, library.problem);
  return fmt::format("  {}: network \"{}\" from {}\n", name, library.net_name, library.path);
}

std::string nccl_section(const NcclChoice& nccl) {
  std::string text = fmt::format("What NCCL would load\n  NCCL_NET_PLUGIN {}\n",
                                 nccl.variable ? "is \"" + *nccl.variable + "\"" : "is not set");
  for (const Candidate& candidate : nccl.candidates)
    text += candidate_line(candidate.name, candidate.library);
  if (nccl.variable) text += candidate_line("without NCCL_NET_PLUGIN, libnccl-net.so", nccl.default_library);
  return text + fmt::format("  => {}\n", nccl.verdict);
}

std::string settings_section(const Report& report) {
  const auto table = config::settings_table();
  std::string text = "Settings\n";
  for (const config::SettingValue& value : report.settings.values) {
    const auto entry = std::find_if(table.begin(), table.end(), [&](const config::Setting& setting) {
      return setting.name == value.name;
    });
    const std::optional<int> meaning = auto_meaning(value, report);
    const std::string shown = value.value.empty() ? fmt::format("({})", entry->empty_means)
                              : meaning           ? fmt::format("{} ({})", value.value, *meaning)
                                                  : value.value;
    const std::string unit = entry->unit == "seconds" ? " s" : "";
    text += fmt::format("  {:<25} {:<22} {}\n", value.name, shown + unit, source_text(value, report.conf));
  }
  for (const config::Problem& problem : report.settings.problems) {
    text += fmt::format("  problem: {}\n", problem.message);
  }
  return text;
}

std::string interface_line(const char* use, const transport::Interface& interface) {
  const std::string address = address_text(interface);
  return fmt::format("  {:<8} {:<12} {:<22} {:>6} Mbit/s{}  {}\n{:<12}because {}\n", use, interface.name,
                     address.empty() ? "no address" : address, interface.speed_mbps,
                     interface.speed_assumed ? " (assumed)" : "",
                     interface.pci_path.empty() ? "virtual" : interface.pci_path, "", interface.reason);
}

std::string interfaces_section(const transport::InterfaceChoice& choice) {
  std::string text = "Interfaces\n";
  for (const auto& interface : choice.chosen) text += interface_line("used", interface);
  for (const auto& interface : choice.rejected) text += interface_line("left out", interface);
  if (choice.chosen.empty()) text += "  problem: none can be used, so NCCL will not use netsense\n";
  return text;
}

std::string facility_line(const char* name, const Facility& facility) {
  return fmt::format("  {:<11} {}: {}\n", name, facility.found ? "found" : "not found", facility.detail);
}

std::string machine_section(const Report& report) {
  return "Machine\n" + facility_line("verbs", report.verbs) + facility_line("CUDA driver", report.cuda) +
         fmt::format("  {:<11} {} (memory that may be locked; TCP locks none)\n", "memlock",
                     report.memlock ? bytes_text(*report.memlock) : "unlimited");
}

// After a success only warnings matter, and those about settings stand above already.
bool worth_showing(const std::string& line, const Report& report) {
  if (!report.self_test.passed) return true;
  const auto& problems = report.settings.problems;
  return line.find("NCCL WARN") != std::string::npos &&
         std::none_of(problems.begin(), problems.end(), [&](const config::Problem& problem) {
           return line.find(problem.message) != std::string::npos;
         });
}

std::string self_test_section(const Report& report) {
  const SelfTest& test = report.self_test;
  if (!test.run) return "Self test\n  not run\n";
  std::string text = fmt::format("Self test\n  {}: {}\n", test.passed ? "passed" : "FAILED", test.detail);
  for (const std::string& line : test.log) {
    if (worth_showing(line, report)) text += fmt::format("  log: {}\n", line);
  }
  return text;
}

}  // namespace

std::string text_report(const Report& report) {
  const Version& version = report.version;
  return fmt::format("netsense {} (git {}, {})\n\n{}\n{}\n{}\n{}\n{}\n{}", version.number, version.git,
                     version.build_type, library_section(report.library), nccl_section(report.nccl),
                     settings_section(report), interfaces_section(report.interfaces), machine_section(report),
                     self_test_section(report));
}

}  // namespace netsense::info
