// NCCL's order of looking for interfaces, on made-up systems.
#include <net/if.h>

#include "plugin/transport/netif_address.h"
#include "tests/catch.h"
#include "tests/unit/config/system_view.h"

namespace netsense::transport {
namespace {

using config::AddressFamily;
using config::Settings;
using Names = std::vector<std::string>;

// Loopback, two cards, docker and a virtual bridge, in the order of getifaddrs: all IPv4 first.
SystemBuilder usual_system() {
  SystemBuilder system;
  system.add("lo", "127.0.0.1/8")
      .add("eth0", "10.0.0.1/24")
      .add("eth1", "10.0.1.1/24")
      .add("docker0", "172.17.0.1/16");
  system.add("virbr0", "192.168.122.1/24")
      .add("lo", "::1/128")
      .add("eth0", "2001:db8::1/64")
      .add("eth0", "fe80::1/64");
  return system;
}

Settings only(std::string_view list, AddressFamily family = AddressFamily::kAny) {
  Settings settings;
  settings.interfaces = list;
  settings.family = family;
  return settings;
}

InterfaceChoice choose(const SystemBuilder& system, const Settings& settings = {}) {
  return find_interfaces(settings, system.view());
}

bool says(const Interface& interface, std::string_view part) {
  return interface.reason.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("by default all but docker, loopback and virtual bridges, in the system's order") {
  const InterfaceChoice choice = choose(usual_system());
  CHECK(names(choice.chosen) == Names{"eth0", "eth1"});
  CHECK(names(choice.rejected) == Names{"lo", "docker0", "virbr0"});
  CHECK(address_text(choice.chosen[0]) == "10.0.0.1");
  CHECK(says(choice.chosen[0], "neither docker"));
  CHECK(says(named(choice.rejected, "docker0"), "others come first in NCCL's order"));
  CHECK(address_text(named(choice.rejected, "docker0")) == "172.17.0.1");
}

TEST_CASE("ib comes before everything") {
  SystemBuilder system = usual_system();
  system.add("ib0", "10.9.0.1/24").add("ibs1", "10.9.1.1/24");
  CHECK(names(choose(system).chosen) == Names{"ib0", "ibs1"});
}

TEST_CASE("the network of NCCL_COMM_ID comes before the rest, with one interface") {
  const InterfaceChoice choice = choose(usual_system().comm_id("10.0.1.77:4000"));
  CHECK(names(choice.chosen) == Names{"eth1"});
  CHECK(says(choice.chosen[0], "NCCL_COMM_ID=10.0.1.77:4000"));
  CHECK(names(choose(usual_system().comm_id("127.0.0.1:4000")).chosen) == Names{"lo"});
  CHECK(names(choose(usual_system().comm_id("[2001:db8::99]:4000")).chosen) == Names{"eth0"});
  CHECK(names(choose(usual_system().comm_id("203.0.113.1:4000")).chosen) == Names{"eth0", "eth1"});
  CHECK(names(choose(usual_system().comm_id("[oops")).chosen) == Names{"eth0", "eth1"});
  SystemBuilder with_ib = usual_system().comm_id("10.0.1.77:4000");
  CHECK(names(choose(with_ib.add("ib0", "10.9.0.1/24")).chosen) == Names{"ib0"});
}

TEST_CASE("without real interfaces docker is taken, then loopback, then virtual bridges") {
  SystemBuilder poor;
  poor.add("lo", "127.0.0.1/8").add("virbr0", "192.168.122.1/24");
  CHECK(names(choose(poor).chosen) == Names{"lo"});
  CHECK(names(choose(poor.add("docker0", "172.17.0.1/16")).chosen) == Names{"docker0"});
  CHECK(names(choose(SystemBuilder().add("virbr0", "192.168.122.1/24")).chosen) == Names{"virbr0"});
  CHECK(choose(SystemBuilder()).chosen.empty());
}

TEST_CASE("a list decides alone, also when nothing matches it") {
  CHECK(names(choose(usual_system(), only("eth1")).chosen) == Names{"eth1"});
  CHECK(names(choose(usual_system(), only("=lo,docker0")).chosen) == Names{"lo", "docker0"});
  CHECK(names(choose(usual_system(), only("^eth0,lo,virbr")).chosen) == Names{"eth1", "docker0"});
  CHECK(names(choose(usual_system().comm_id("10.0.1.77:1"), only("eth0")).chosen) == Names{"eth0"});
  const InterfaceChoice nothing = choose(usual_system(), only("=eth7"));
  CHECK(nothing.chosen.empty());
  CHECK(nothing.rejected.size() == 5);
  CHECK(says(named(nothing.rejected, "eth0"), "does not match \"=eth7\""));
}

TEST_CASE("an interface has one address: IPv4, else routed IPv6, else link-local with its scope") {
  SystemBuilder system;
  system.add("eth0", "fe80::1/64").add("eth0", "2001:db8::1/64").add("eth1", "fe80::2/64");
  system.add("eth2", "10.0.2.1/24").add("eth2", "10.0.2.2/24");
  const InterfaceChoice choice = choose(system);
  CHECK(names(choice.chosen) == Names{"eth0", "eth1", "eth2"});
  CHECK(address_text(choice.chosen[0]) == "2001:db8::1");
  CHECK(address_text(choice.chosen[1]) == "fe80::2");
  CHECK(as_ipv6(choice.chosen[1].address).sin6_scope_id == static_cast<uint32_t>(choice.chosen[1].index));
  CHECK(address_text(choice.chosen[2]) == "10.0.2.1");
}

TEST_CASE("the family that was asked for decides which interfaces count") {
  const InterfaceChoice six = choose(usual_system(), only("", AddressFamily::kIpv6));
  CHECK(names(six.chosen) == Names{"eth0"});
  CHECK(address_text(six.chosen[0]) == "2001:db8::1");
  CHECK(says(named(six.rejected, "eth1"), "no IPv6 address"));
  CHECK(named(six.rejected, "eth1").address_length == 0);
  const InterfaceChoice four =
      choose(SystemBuilder().add("eth0", "2001:db8::1/64"), only("", AddressFamily::kIpv4));
  CHECK(four.chosen.empty());
  CHECK(says(four.rejected[0], "no IPv4 address"));
}

TEST_CASE("the IPv6 loopback address is taken only where loopback is asked for or all there is") {
  CHECK(address_text(choose(usual_system(), only("lo", AddressFamily::kIpv6)).chosen.at(0)) == "::1");
  CHECK(address_text(choose(SystemBuilder().add("lo", "::1/128")).chosen.at(0)) == "::1");
  // A loopback address on another interface does not make it one that reaches other hosts.
  const InterfaceChoice odd = choose(SystemBuilder().add("dummy0", "::1/128"));
  CHECK(odd.chosen.empty());
  CHECK(says(odd.rejected.at(0), "only the IPv6 loopback address"));
}

TEST_CASE("what is down, has no carrier or no address is left out with the reason") {
  SystemBuilder system = usual_system();
  system.add("eth2", "10.0.2.1/24", 0).add("eth3", "10.0.3.1/24", IFF_UP).add("eth4", "");
  const InterfaceChoice choice = choose(system, only("eth"));
  CHECK(names(choice.chosen) == Names{"eth0", "eth1"});
  CHECK(says(named(choice.rejected, "eth2"), "down"));
  CHECK(says(named(choice.rejected, "eth3"), "no carrier"));
  CHECK(says(named(choice.rejected, "eth4"), "no IP address"));
}

TEST_CASE("at most sixteen, as in NCCL") {
  SystemBuilder system;
  for (int i = 0; i < 20; ++i) system.add("eth" + std::to_string(i), "10.0." + std::to_string(i) + ".1/24");
  const InterfaceChoice choice = choose(system);
  CHECK(choice.chosen.size() == 16);
  CHECK(choice.chosen.back().name == "eth15");
  CHECK(says(choice.rejected.at(0), "limit"));
}

}  // namespace netsense::transport
