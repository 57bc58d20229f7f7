// What is read from sysfs, from a folder made for the test and from the machine itself.
#include <fstream>

#include "plugin/transport/netif_system.h"
#include "tests/catch.h"
#include "tests/unit/config/system_view.h"

namespace netsense::transport {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("speed and PCI path come from sysfs") {
  const TemporaryFolder folder;
  const fs::path device = folder.path() / "devices/pci0000:00/0000:00:03.0";
  fs::create_directories(device);
  write(folder.path() / "net/eth0/speed", "25000\n");
  fs::create_symlink("../../devices/pci0000:00/0000:00:03.0", folder.path() / "net/eth0/device");
  const SystemBuilder system = SystemBuilder().add("eth0", "10.0.0.1/24").sysfs(folder.path() / "net");
  const InterfaceChoice choice = find_interfaces({}, system.view());
  REQUIRE(choice.chosen.size() == 1);
  CHECK(choice.chosen[0].speed_mbps == 25000);
  CHECK_FALSE(choice.chosen[0].speed_assumed);
  CHECK(choice.chosen[0].pci_path == fs::canonical(device).string());
}

TEST_CASE("a speed that sysfs does not know is NCCL's guess") {
  const TemporaryFolder folder;
  const std::string net = folder.path().string();
  write(folder.path() / "minus/speed", "-1\n");
  write(folder.path() / "text/speed", "fast\n");
  write(folder.path() / "empty/speed", "");
  write(folder.path() / "huge/speed", "99999999999999999999\n");
  fs::create_directories(folder.path() / "folder/speed");
  for (const char* name : {"minus", "text", "empty", "huge", "folder", "missing"}) {
    INFO(name);
    CHECK_FALSE(read_speed_mbps(net, name).has_value());
    CHECK(read_pci_path(net, name).empty());
  }
  const SystemBuilder system = SystemBuilder().add("minus", "10.0.0.1/24").sysfs(folder.path());
  const InterfaceChoice choice = find_interfaces({}, system.view());
  REQUIRE(choice.chosen.size() == 1);
  CHECK(choice.chosen[0].speed_mbps == kAssumedSpeedMbps);
  CHECK(choice.chosen[0].speed_assumed);
}

TEST_CASE("a device link that leads nowhere is no PCI path") {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "eth0");
  fs::create_symlink("../gone", folder.path() / "eth0/device");
  CHECK(read_pci_path(folder.path().string(), "eth0").empty());
}

TEST_CASE("this machine's loopback is found when it is asked for") {
  config::Settings settings;
  settings.interfaces = "=lo";
  const InterfaceChoice choice = find_interfaces(settings);
  REQUIRE(choice.chosen.size() == 1);
  CHECK(choice.chosen[0].name == "lo");
  CHECK(choice.chosen[0].index > 0);
  CHECK(choice.chosen[0].address_length > 0);
  CHECK(choice.chosen[0].pci_path.empty());
}

}  // namespace netsense::transport
