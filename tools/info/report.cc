#include "tools/info/report.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "plugin/config/auto_values.h"
#include "plugin/config/text.h"
#include "plugin/transport/netif_address.h"
#include "tools/info/log_capture.h"

namespace netsense::info {

Report make_report(const Request& request) {
  Report report;
  report.version = request.version;
  report.conf = apply_nccl_conf();
  const LogCapture log;
  report.settings = config::load_settings(environ);
  report.cores = config::usable_cores();
  report.interfaces = transport::find_interfaces(report.settings.settings);
  report.nccl = find_nccl_choice();
  report.library = inspect_library(request.library);
  conclude(&report.nccl, report.library, !report.interfaces.chosen.empty());
  report.verbs = find_verbs();
  report.cuda = find_cuda();
  report.memlock = memlock_limit();
  if (request.self_test) report.self_test = run_self_test(report.library.path);
  report.self_test.log = log.lines();
  return report;
}

int exit_code(const Report& report) {
  return report.self_test.run && !report.self_test.passed ? 1 : 0;
}

std::string source_text(const config::SettingValue& value, const std::vector<ConfEntry>& conf) {
  if (value.source == config::Source::kDefault) return "default";
  const auto entry = std::find_if(conf.begin(), conf.end(), [&](const ConfEntry& candidate) {
    return config::trim(candidate.name) == value.variable;
  });
  const std::string place = entry == conf.end() ? "environment" : entry->file;
  return value.variable == value.name ? place : fmt::format("{} ({})", value.variable, place);
}

std::optional<int> auto_meaning(const config::SettingValue& value, const Report& report) {
  return config::meaning_of_auto(value.name, report.settings.settings, report.cores);
}

std::string address_text(const transport::Interface& interface) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (interface.address.ss_family == AF_INET) {
    const sockaddr_in ip = transport::as_ipv4(interface.address);
    return inet_ntop(AF_INET, &ip.sin_addr, text.data(), text.size()) == nullptr ? "" : text.data();
  }
  if (interface.address.ss_family != AF_INET6) return "";
  const sockaddr_in6 ip = transport::as_ipv6(interface.address);
  if (inet_ntop(AF_INET6, &ip.sin6_addr, text.data(), text.size()) == nullptr) return "";
  // Which interface a link-local address belongs to is part of it.
  return transport::is_ipv6_link_local(interface.address) ? fmt::format("{}%{}", text.data(), interface.name)
                                                          : text.data();
}

}  // namespace netsense::info
