#include "tests/reference/net/interface.h"

#include <unistd.h>

#include <cstring>
#include <optional>

#include "plugin/transport/netif.h"

namespace netsense::reference {
namespace {

std::optional<Interface> choose() {
  const config::Settings settings = config::load_settings(environ).settings;
  const transport::InterfaceChoice found = transport::find_interfaces(settings);
  if (found.chosen.empty()) return std::nullopt;
  const transport::Interface& first = found.chosen.front();
  if (first.address_length > sizeof(SocketAddress)) return std::nullopt;
  Interface chosen{
      .address = {}, .name = first.name, .pci_path = first.pci_path, .speed_mbps = first.speed_mbps};
  std::memcpy(&chosen.address, &first.address, first.address_length);
  return chosen;
}

}  // namespace

const Interface* interface() {
  static const std::optional<Interface> chosen = choose();
  return chosen ? &*chosen : nullptr;
}

std::vector<Device> describe_devices(const Options& options) {
  std::vector<Device> devices;
  for (int i = 0; i < options.devices && interface() != nullptr; ++i) {
    Device device;
    device.name = *options.device_name == '\0' ? interface()->name : options.device_name + std::to_string(i);
    device.pci_path = interface()->pci_path;
    device.pointer_types = options.cuda_pointers ? 3 : 1;  // NCCL_PTR_HOST, NCCL_PTR_CUDA
    device.speed_mbps = options.speed_mbps > 0 ? options.speed_mbps : interface()->speed_mbps;
    device.grouped_receives = options.grouped_receives;
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace netsense::reference
