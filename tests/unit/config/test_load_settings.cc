// From an environment to settings: sources, precedence, and what the user is told.
#include "plugin/config/settings.h"
#include "plugin/config/settings_table.h"
#include "tests/catch.h"
#include "tests/unit/config/environment.h"

namespace netsense::config {
namespace {

std::string only_problem(const LoadedSettings& loaded) {
  REQUIRE(loaded.problems.size() == 1);
  return loaded.problems.front().message;
}

}  // namespace

TEST_CASE("nothing set: the defaults, no problem, nothing to mention") {
  for (const LoadedSettings& loaded :
       {load_settings(nullptr), load({}), load({"PATH=/bin", "NOEQUALS", "=x"})}) {
    CHECK(loaded.problems.empty());
    CHECK(changed_settings(loaded).empty());
    REQUIRE(loaded.values.size() == settings_table().size());
    for (const SettingValue& value : loaded.values) CHECK(value.source == Source::kDefault);
    CHECK_FALSE(loaded.settings.tcp_streams.has_value());
    CHECK(loaded.settings.checksum);
  }
}

TEST_CASE("a misspelt name is ignored and the right one is named") {
  const LoadedSettings loaded = load({"NETSENSE_TCP_STREMS=4"});
  CHECK_FALSE(loaded.settings.tcp_streams.has_value());
  CHECK(only_problem(loaded) ==
        "NETSENSE_TCP_STREMS=4 is ignored: unknown setting, did you mean NETSENSE_TCP_STREAMS?");
  CHECK(loaded.problems.front().variable == "NETSENSE_TCP_STREMS");
}

TEST_CASE("slips in the prefix and in the case are seen too") {
  CHECK(contains(only_problem(load({"NETSNESE_TCP_STREAMS=4"})), "did you mean NETSENSE_TCP_STREAMS?"));
  CHECK(contains(only_problem(load({"netsense_checksum=0"})), "did you mean NETSENSE_CHECKSUM?"));
}

TEST_CASE("a name of ours that is like none gets the list, and other programs' names get nothing") {
  CHECK(only_problem(load({"NETSENSE_FROBNICATE_THE_WIRE=1"})) ==
        "NETSENSE_FROBNICATE_THE_WIRE=1 is ignored: unknown setting; `netsense-info` lists them all");
  CHECK(contains(only_problem(load({"NETSENSE_" + std::string(5000, 'A') + "=1"})), "unknown setting"));
  CHECK(load({"NCCL_DEBUG=INFO", "NETWORK_STREAMS=1", "SENSE=1", std::string(5000, 'A') + "=1"})
            .problems.empty());
}

TEST_CASE("blanks around names and values do not count, and an empty value is not a value") {
  const LoadedSettings loaded =
      load({"NETSENSE_TCP_STREAMS = 4 ", "NETSENSE_CHECKSUM=", "NETSENSE_FAMILY=  "});
  CHECK(loaded.problems.empty());
  CHECK(loaded.settings.tcp_streams == 4);
  CHECK(value_of(loaded, "NETSENSE_CHECKSUM").source == Source::kDefault);
  CHECK(value_of(loaded, "NETSENSE_FAMILY").source == Source::kDefault);
}

TEST_CASE("of a name that stands twice the first counts, as with getenv") {
  CHECK(load({"NETSENSE_TCP_STREAMS=2", "NETSENSE_TCP_STREAMS=3"}).settings.tcp_streams == 2);
}

TEST_CASE("NCCL's variables are used where ours are not set") {
  const LoadedSettings loaded = load({"NCCL_SOCKET_IFNAME=^docker", "NCCL_SOCKET_FAMILY=AF_INET6"});
  CHECK(loaded.problems.empty());
  CHECK(loaded.settings.interfaces == "^docker");
  CHECK(loaded.settings.family == AddressFamily::kIpv6);
  const SettingValue& family = value_of(loaded, "NETSENSE_FAMILY");
  CHECK(family.source == Source::kNccl);
  CHECK(family.variable == "NCCL_SOCKET_FAMILY");
  CHECK(family.value == "ipv6");
  CHECK(changed_settings(loaded) == "NCCL_SOCKET_IFNAME=^docker, NCCL_SOCKET_FAMILY=ipv6");
}

TEST_CASE("ours wins over NCCL's, without a word about NCCL's") {
  const LoadedSettings loaded = load({"NCCL_SOCKET_IFNAME=eth0", "NETSENSE_IFNAME=eth1"});
  CHECK(loaded.problems.empty());
  CHECK(loaded.settings.interfaces == "eth1");
  CHECK(value_of(loaded, "NETSENSE_IFNAME").source == Source::kNetsense);
}

TEST_CASE("a bad value of ours falls back to NCCL's, and a bad one of NCCL's to the default") {
  const LoadedSettings first = load({"NETSENSE_FAMILY=ip6", "NCCL_SOCKET_FAMILY=AF_INET"});
  CHECK(first.settings.family == AddressFamily::kIpv4);
  CHECK(only_problem(first) ==
        "NETSENSE_FAMILY=ip6 is not auto or ipv4 or ipv6, the nearest is ipv6; using ipv4 "
        "(NCCL_SOCKET_FAMILY)");
  const LoadedSettings second = load({"NCCL_SOCKET_FAMILY=ipv6"});
  CHECK(second.settings.family == AddressFamily::kAny);
  CHECK(contains(only_problem(second), "NCCL_SOCKET_FAMILY=ipv6 is not AF_INET or AF_INET6"));
  CHECK(contains(only_problem(second), "using auto (the default)"));
  CHECK(load({"NETSENSE_FAMILY=ip6", "NCCL_SOCKET_FAMILY=ipv6"}).problems.size() == 2);
}

TEST_CASE("a bad value is named with what is allowed, the nearest and what is used") {
  CHECK(only_problem(load({"NETSENSE_TCP_STREAMS=99"})) ==
        "NETSENSE_TCP_STREAMS=99 is not an integer from 1 to 16, or auto, the nearest is 16; "
        "using auto (the default)");
  CHECK(only_problem(load({"NETSENSE_IFNAME=^"})) ==
        "NETSENSE_IFNAME=^ is not a list of interface names such as eth,en or =eth0 or ^docker,lo; "
        "it is ignored");
}

TEST_CASE("control characters of a value do not reach the log") {
  CHECK(contains(only_problem(load({"NETSENSE_CHECKSUM=a\nb"})), "NETSENSE_CHECKSUM=a?b is not"));
}

TEST_CASE("what differs from the defaults is listed in the order of the table") {
  CHECK(changed_settings(load({"NETSENSE_CHECKSUM=no", "NETSENSE_TCP_STREAMS=4"})) ==
        "NETSENSE_TCP_STREAMS=4, NETSENSE_CHECKSUM=off");
}

}  // namespace netsense::config
