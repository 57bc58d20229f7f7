#include "plugin/transport/netif.h"

#include <fmt/format.h>
#include <net/if.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "plugin/transport/netif_address.h"
#include "plugin/transport/netif_system.h"

namespace netsense::transport {
namespace {

using config::AddressFamily;
using config::Settings;

// The addresses of one interface.
struct Candidate {
  std::string name;
  int index = 0;
  unsigned int flags = 0;
  std::vector<const SystemAddress*> addresses;
};

std::vector<Candidate> group_by_interface(const std::vector<SystemAddress>& addresses) {
  std::vector<Candidate> groups;
  for (const SystemAddress& address : addresses) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Candidate& c) { return c.name == address.name; });
    if (group == groups.end()) {
      group = groups.insert(group, {address.name, address.index, 0, {}});
    }
    group->flags |= address.flags;
    if (is_ip(address.address)) group->addresses.push_back(&address);
  }
  return groups;
}

// A way in which interfaces are chosen; the first that yields any ends the search.
struct Step {
  std::string list;                         // in NCCL's grammar
  std::string reason;                       // completes "... is used: "
  bool ipv6_loopback = false;               // whether ::1 will do
  std::optional<sockaddr_storage> near_to;  // only an interface in the same network; the first one alone
};

std::vector<Step> steps_of(const Settings& settings, const SystemView& system) {
  if (!settings.interfaces.empty()) {
    return {{settings.interfaces, fmt::format("it matches \"{}\"", settings.interfaces), true, {}}};
  }
  std::vector<Step> steps{{"ib", "its name begins with ib, which NCCL looks for first", false, {}}};
  if (!system.comm_id.empty()) {
    if (const auto address = parse_comm_id(system.comm_id)) {
      steps.push_back(
          {"", fmt::format("it is in the network of NCCL_COMM_ID={}", system.comm_id), true, address});
    }
  }
  steps.push_back({"^docker,lo,virbr", "it is neither docker, loopback nor a virtual bridge", false, {}});
  steps.push_back({"docker", "there is nothing but docker, loopback and virtual bridges", false, {}});
  steps.push_back({"lo", "there is nothing but the loopback and virtual bridges", true, {}});
  steps.push_back({"virbr", "there is nothing but virtual bridges", false, {}});
  return steps;
}

// Lower is better: IPv4 first, as the system lists it and NCCL takes it, then IPv6 that is routed.
int rank_of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) return 0;
  return is_ipv6_link_local(address) ? 2 : 1;
}

bool family_fits(const sockaddr_storage& address, AddressFamily family) {
  return family == AddressFamily::kAny ||
         address.ss_family == (family == AddressFamily::kIpv4 ? AF_INET : AF_INET6);
}

// The address of the interface that this step would use; null when it has none.
const SystemAddress* address_for(const Candidate& candidate, const Step& step, AddressFamily family) {
  const SystemAddress* best = nullptr;
  for (const SystemAddress* entry : candidate.addresses) {
    if (!family_fits(entry->address, family)) continue;
    if (!step.ipv6_loopback && is_ipv6_loopback(entry->address)) continue;
    if (step.near_to && !same_subnet(entry->address, entry->netmask, *step.near_to)) continue;
    if (best == nullptr || rank_of(entry->address) < rank_of(best->address)) best = entry;
  }
  return best;
}

// Why it cannot be used at all; empty when it can.
std::string unusable(const Candidate& candidate, AddressFamily family) {
  if ((candidate.flags & IFF_UP) == 0) return "it is down";
  if ((candidate.flags & IFF_RUNNING) == 0) return "it has no carrier (not running)";
  const bool has_address =
      std::any_of(candidate.addresses.begin(), candidate.addresses.end(),
                  [&](const auto* entry) { return family_fits(entry->address, family); });
  if (has_address) return "";
  const char* wanted = family == AddressFamily::kAny    ? "IP"
                       : family == AddressFamily::kIpv4 ? "IPv4"
                                                        : "IPv6";
  return fmt::format("it has no {} address", wanted);
}

Interface make_interface(const Candidate& candidate, const SystemAddress* address, const std::string& sysfs,
                         std::string reason) {
  Interface result;
  result.name = candidate.name;
  if (address != nullptr) {
    result.address = address->address;
    result.address_length = length_of(address->address);
  }
  result.index = candidate.index;
  const std::optional<int> speed = read_speed_mbps(sysfs, candidate.name);
  result.speed_mbps = speed.value_or(kAssumedSpeedMbps);
  result.speed_assumed = !speed.has_value();
  result.pci_path = read_pci_path(sysfs, candidate.name);
  result.reason = std::move(reason);
  return result;
}

using Picked = std::vector<std::pair<const Candidate*, const SystemAddress*>>;

Picked pick(const std::vector<Candidate>& candidates, const Step& step, AddressFamily family) {
  Picked picked;
  for (const Candidate& candidate : candidates) {
    if (!unusable(candidate, family).empty()) continue;
    if (!step.near_to && !matches_interface_list(step.list, candidate.name)) continue;
    if (const SystemAddress* address = address_for(candidate, step, family))
      picked.emplace_back(&candidate, address);
    if (picked.size() == (step.near_to ? 1 : kMaxInterfaces)) break;
  }
  return picked;
}

std::string why_rejected(const Candidate& candidate, const Settings& settings, const Step* used,
                         size_t count) {
  std::string reason = unusable(candidate, settings.family);
  if (!reason.empty()) return reason;
  if (!settings.interfaces.empty() && !matches_interface_list(settings.interfaces, candidate.name)) {
    return fmt::format("it does not match \"{}\"", settings.interfaces);
  }
  if (used == nullptr) return "it has only the IPv6 loopback address";
  if (count == kMaxInterfaces) return fmt::format("{} interfaces, NCCL's limit, are in use already", count);
  return "others come first in NCCL's order; NETSENSE_IFNAME can name it";
}

}  // namespace

bool matches_interface_list(std::string_view list, std::string_view name) {
  const bool exclude = list.starts_with('^');
  if (exclude) list.remove_prefix(1);
  const bool exact = list.starts_with('=');
  if (exact) list.remove_prefix(1);
  size_t entries = 0;
  bool found = false;
  // NCCL reads no more entries than it takes interfaces.
  while (!list.empty() && entries < kMaxInterfaces) {
    const size_t comma = std::min(list.find(','), list.size());
    std::string_view entry = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    entry = entry.substr(0, entry.find(':'));
    if (entry.empty()) continue;
    ++entries;
    found = found || (exact ? name == entry : name.starts_with(entry));
  }
  return (found || entries == 0) != exclude;
}

InterfaceChoice find_interfaces(const Settings& settings, const SystemView& system) {
  const std::vector<Candidate> candidates = group_by_interface(system.addresses);
  const std::vector<Step> steps = steps_of(settings, system);
  Picked picked;
  const Step* used = nullptr;
  for (const Step& step : steps) {
    picked = pick(candidates, step, settings.family);
    if (picked.empty()) continue;
    used = &step;
    break;
  }
  InterfaceChoice choice;
  for (const Candidate& candidate : candidates) {
    const auto found =
        std::find_if(picked.begin(), picked.end(), [&](const auto& p) { return p.first == &candidate; });
    if (found != picked.end()) {
      choice.chosen.push_back(make_interface(candidate, found->second, system.sysfs, used->reason));
    } else {
      const Step anything{"", "", true, {}};
      choice.rejected.push_back(make_interface(candidate, address_for(candidate, anything, settings.family),
                                               system.sysfs,
                                               why_rejected(candidate, settings, used, picked.size())));
    }
  }
  return choice;
}

InterfaceChoice find_interfaces(const Settings& settings) {
  return find_interfaces(settings, read_system());
}

}  // namespace netsense::transport
