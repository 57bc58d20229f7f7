#include "tests/unit/config/system_view.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "plugin/transport/netif_address.h"

namespace netsense::transport {
namespace {

sockaddr_storage parse_ip(const std::string& text, int index) {
  sockaddr_storage result{};
  sockaddr_in ipv4{};
  sockaddr_in6 ipv6{};
  if (inet_pton(AF_INET, text.c_str(), &ipv4.sin_addr) == 1) {
    ipv4.sin_family = AF_INET;
    std::memcpy(&result, &ipv4, sizeof ipv4);
  } else if (inet_pton(AF_INET6, text.c_str(), &ipv6.sin6_addr) == 1) {
    ipv6.sin6_family = AF_INET6;
    // As getifaddrs does.
    if (IN6_IS_ADDR_LINKLOCAL(&ipv6.sin6_addr)) ipv6.sin6_scope_id = static_cast<uint32_t>(index);
    std::memcpy(&result, &ipv6, sizeof ipv6);
  } else {
    throw std::invalid_argument("no address: " + text);
  }
  return result;
}

sockaddr_storage make_mask(int family, int bits) {
  sockaddr_storage result{};
  sockaddr_in6 ipv6{};
  sockaddr_in ipv4{};
  uint8_t* bytes = family == AF_INET ? reinterpret_cast<uint8_t*>(&ipv4.sin_addr) : ipv6.sin6_addr.s6_addr;
  for (int bit = 0; bit < bits; ++bit)
    bytes[bit / 8] = static_cast<uint8_t>(bytes[bit / 8] | (0x80 >> (bit % 8)));
  ipv4.sin_family = AF_INET;
  ipv6.sin6_family = AF_INET6;
  if (family == AF_INET) {
    std::memcpy(&result, &ipv4, sizeof ipv4);
  } else {
    std::memcpy(&result, &ipv6, sizeof ipv6);
  }
  return result;
}

}  // namespace

SystemBuilder& SystemBuilder::add(std::string_view name, std::string_view address) {
  return add(name, address, IFF_UP | IFF_RUNNING);
}

SystemBuilder& SystemBuilder::add(std::string_view name, std::string_view address, unsigned flags) {
  SystemAddress entry;
  entry.name = name;
  entry.flags = flags;
  const auto known = std::find_if(view_.addresses.begin(), view_.addresses.end(),
                                  [&](const SystemAddress& other) { return other.name == name; });
  entry.index = known == view_.addresses.end() ? static_cast<int>(view_.addresses.size()) + 1 : known->index;
  if (!address.empty()) {
    const size_t slash = address.find('/');
    entry.address = parse_ip(std::string(address.substr(0, slash)), entry.index);
    entry.netmask = make_mask(entry.address.ss_family, std::stoi(std::string(address.substr(slash + 1))));
  }
  view_.addresses.push_back(entry);
  return *this;
}

SystemBuilder& SystemBuilder::comm_id(std::string_view id) {
  view_.comm_id = id;
  return *this;
}

SystemBuilder& SystemBuilder::sysfs(const std::filesystem::path& folder) {
  view_.sysfs = folder.string();
  return *this;
}

std::string address_text(const Interface& interface) {
  char text[INET6_ADDRSTRLEN] = "";
  const sockaddr_in ipv4 = as_ipv4(interface.address);
  const sockaddr_in6 ipv6 = as_ipv6(interface.address);
  if (interface.address_length == sizeof ipv4) inet_ntop(AF_INET, &ipv4.sin_addr, text, sizeof text);
  if (interface.address_length == sizeof ipv6) inet_ntop(AF_INET6, &ipv6.sin6_addr, text, sizeof text);
  return text;
}

std::vector<std::string> names(const std::vector<Interface>& interfaces) {
  std::vector<std::string> result;
  for (const Interface& interface : interfaces) result.push_back(interface.name);
  return result;
}

const Interface& named(const std::vector<Interface>& interfaces, std::string_view name) {
  for (const Interface& interface : interfaces) {
    if (interface.name == name) return interface;
  }
  throw std::out_of_range("no interface " + std::string(name));
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "netsense-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace netsense::transport
