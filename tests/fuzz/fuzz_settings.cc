// The settings parser and the grammar of interface lists, on an environment made of anything. Beyond not
// crashing: every setting has a value that is read back as itself, every report is one printable line, and
// the choice of interfaces loses and invents none.
#include <arpa/inet.h>
#include <net/if.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "plugin/config/settings.h"
#include "plugin/config/settings_table.h"
#include "plugin/transport/netif.h"

namespace {

using namespace netsense;

void require(bool condition) {
  if (!condition) std::abort();
}

// One variable per line. A line that begins with a small number names a setting of the table, so that the
// fuzzer need not find the names by itself.
std::vector<std::string> environment_of(const uint8_t* data, size_t size) {
  const auto table = config::settings_table();
  std::vector<std::string> entries(1);
  for (size_t i = 0; i < size; ++i) {
    std::string& entry = entries.back();
    if (data[i] == '\n') {
      entries.emplace_back();
    } else if (data[i] == 0) {
      continue;
    } else if (entry.empty() && data[i] <= 2 * table.size()) {
      const config::Setting& setting = table[(data[i] - 1U) / 2];
      entry = std::string(data[i] % 2 == 0 ? setting.name : setting.nccl_variable) + "=";
    } else {
      entry += static_cast<char>(data[i]);
    }
  }
  return entries;
}

bool is_one_line(const std::string& text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) return false;
  }
  return !text.empty();
}

void check_settings(const config::LoadedSettings& loaded) {
  const auto table = config::settings_table();
  require(loaded.values.size() == table.size());
  for (size_t i = 0; i < table.size(); ++i) {
    const config::SettingValue& value = loaded.values[i];
    require(value.name == table[i].name);
    require((value.source == config::Source::kDefault) == value.variable.empty());
    if (value.value.empty()) continue;
    config::Settings again;
    require(config::parse_value(table[i], value.value, false, &again));
    require(config::print_value(table[i], again) == value.value);
  }
  for (const config::Problem& problem : loaded.problems) {
    require(is_one_line(problem.variable) && is_one_line(problem.message));
  }
}

transport::SystemAddress address(const char* name, int index, const char* ip, unsigned int flags) {
  transport::SystemAddress result{name, index, flags, {}, {}};
  auto* four = reinterpret_cast<sockaddr_in*>(&result.address);
  auto* six = reinterpret_cast<sockaddr_in6*>(&result.address);
  if (::inet_pton(AF_INET, ip, &four->sin_addr) == 1) {
    result.address.ss_family = AF_INET;
  } else if (::inet_pton(AF_INET6, ip, &six->sin6_addr) == 1) {
    result.address.ss_family = AF_INET6;
  }
  return result;
}

transport::SystemView made_up_system() {
  transport::SystemView system;
  constexpr unsigned int kOn = IFF_UP | IFF_RUNNING;
  system.addresses = {address("lo", 1, "127.0.0.1", kOn), address("eth0", 2, "10.0.0.1", kOn),
                      address("eth1", 3, "10.0.1.1", 0),  address("docker0", 4, "172.17.0.1", kOn),
                      address("lo", 1, "::1", kOn),       address("eth0", 2, "fe80::1", kOn)};
  system.sysfs = "/nonexistent";
  return system;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<std::string> entries = environment_of(data, size);
  std::vector<const char*> pointers;
  for (const std::string& entry : entries) pointers.push_back(entry.c_str());
  pointers.push_back(nullptr);
  const config::LoadedSettings loaded = config::load_settings(pointers.data());
  check_settings(loaded);
  const transport::InterfaceChoice choice = transport::find_interfaces(loaded.settings, made_up_system());
  require(choice.chosen.size() + choice.rejected.size() == 4);
  for (const transport::Interface& interface : choice.chosen) {
    require(interface.name != "eth1" && interface.address_length > 0);
    require(loaded.settings.interfaces.empty() ||
            transport::matches_interface_list(loaded.settings.interfaces, interface.name));
  }
  return 0;
}
