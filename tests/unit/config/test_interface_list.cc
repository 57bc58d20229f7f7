// The grammar of NCCL_SOCKET_IFNAME, held to what NCCL 2.32 does (src/os/linux.cc and src/misc/utils.cc).
#include "plugin/transport/netif.h"
#include "tests/catch.h"

namespace netsense::transport {

TEST_CASE("a list names prefixes") {
  CHECK(matches_interface_list("eth", "eth0"));
  CHECK(matches_interface_list("eth0", "eth0"));
  CHECK(matches_interface_list("eth1,en", "enp3s0"));
  CHECK(matches_interface_list("eth1,eth0", "eth0"));
  CHECK(matches_interface_list("eth1", "eth10"));
  CHECK_FALSE(matches_interface_list("eth", "lo"));
  CHECK_FALSE(matches_interface_list("eth0", "eth"));
  CHECK_FALSE(matches_interface_list("th0", "eth0"));
  CHECK_FALSE(matches_interface_list("ETH", "eth0"));
}

TEST_CASE("an equals sign in front asks for whole names, of every entry") {
  CHECK(matches_interface_list("=eth0,eth1", "eth0"));
  CHECK(matches_interface_list("=eth0,eth1", "eth1"));
  CHECK_FALSE(matches_interface_list("=eth0,eth1", "eth10"));
  CHECK_FALSE(matches_interface_list("=eth", "eth0"));
  CHECK_FALSE(matches_interface_list("=eth0", "veth0"));
  // Before a later entry it is part of the name.
  CHECK_FALSE(matches_interface_list("eth0,=eth1", "eth1"));
}

TEST_CASE("a caret in front excludes") {
  CHECK_FALSE(matches_interface_list("^docker,lo", "lo"));
  CHECK_FALSE(matches_interface_list("^docker,lo", "docker0"));
  CHECK(matches_interface_list("^docker,lo", "eth0"));
  CHECK_FALSE(matches_interface_list("^lo", "lond0"));
  CHECK(matches_interface_list("^=lo", "lond0"));
  CHECK_FALSE(matches_interface_list("^=lo", "lo"));
  // Anywhere else it is part of the name.
  CHECK_FALSE(matches_interface_list("=^eth0", "eth0"));
  CHECK(matches_interface_list("^^eth0", "eth0"));
  CHECK_FALSE(matches_interface_list("eth0,^eth1", "eth1"));
}

TEST_CASE("a port after the name does not matter") {
  CHECK(matches_interface_list("eth0:5000", "eth0"));
  CHECK(matches_interface_list("=eth0:5000:1:2", "eth0"));
  CHECK_FALSE(matches_interface_list("=eth0:5000", "eth1"));
}

TEST_CASE("a list without entries matches everything, and its exclusion nothing") {
  for (const char* empty : {"", ",", ",,", "=", "=,", ":7", ":7,:8"}) {
    INFO(empty);
    CHECK(matches_interface_list(empty, "eth0"));
  }
  CHECK_FALSE(matches_interface_list("^", "eth0"));
  CHECK_FALSE(matches_interface_list("^=", "eth0"));
}

TEST_CASE("empty entries are passed over") {
  CHECK(matches_interface_list(",,eth0,", "eth0"));
  CHECK_FALSE(matches_interface_list(",,eth0,", "lo"));
}

TEST_CASE("blanks are part of a name, so nothing matches them") {
  CHECK_FALSE(matches_interface_list("eth0, eth1", "eth1"));
  CHECK(matches_interface_list("^eth0, eth1", "eth1"));
}

TEST_CASE("sixteen entries count") {
  std::string list = "=";
  for (int i = 0; i < 16; ++i) list += "n" + std::to_string(i) + ",";
  CHECK(matches_interface_list(list, "n15"));
  CHECK_FALSE(matches_interface_list(list + "eth0", "eth0"));
}

}  // namespace netsense::transport
