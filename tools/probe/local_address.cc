#include "tools/probe/local_address.h"

#include <netdb.h>
#include <unistd.h>

#include "plugin/transport/netif.h"
#include "tools/perf/error.h"

namespace netsense::mesh {
namespace {

std::string host_name() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0) return "unknown host";
  return name;
}

// With the scope of a link-local address.
std::string numeric(const transport::Interface& interface) {
  char text[NI_MAXHOST] = "";
  const int error = getnameinfo(reinterpret_cast<const sockaddr*>(&interface.address),
                                interface.address_length, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  if (error != 0)
    throw perf::Error("interface {}: cannot write its address: {}", interface.name, gai_strerror(error));
  return text;
}

}  // namespace

Host find_local_address(const Options& options) {
  config::Settings settings = config::load_settings(environ).settings;
  if (options.interfaces) settings.interfaces = *options.interfaces;
  if (options.family != config::AddressFamily::kAny) settings.family = options.family;
  if (options.local_ranks && settings.interfaces.empty())
    return {host_name(), "lo", settings.family == config::AddressFamily::kIpv6 ? "::1" : "127.0.0.1"};
  const transport::InterfaceChoice choice = transport::find_interfaces(settings);
  for (const transport::Interface& interface : choice.chosen) {
    if (interface.address_length != 0) return {host_name(), interface.name, numeric(interface)};
  }
  std::string reasons;
  for (const transport::Interface& interface : choice.rejected)
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", interface.name, interface.reason);
  throw perf::Error("no network interface to measure ({}); choose one with --interface",
                    reasons.empty() ? "the system has none" : reasons);
}

}  // namespace netsense::mesh
