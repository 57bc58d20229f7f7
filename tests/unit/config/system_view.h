// A made-up system for the choice of interfaces, and a folder in the form of /sys/class/net.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/transport/netif.h"

namespace netsense::transport {

// In the order of getifaddrs. address: "10.0.0.1/8", "fe80::1/64" or "" (an entry that is not IP). Up and
// running unless `flags` says otherwise.
class SystemBuilder {
 public:
  SystemBuilder& add(std::string_view name, std::string_view address);
  SystemBuilder& add(std::string_view name, std::string_view address, unsigned flags);
  SystemBuilder& comm_id(std::string_view id);
  SystemBuilder& sysfs(const std::filesystem::path& folder);
  [[nodiscard]] const SystemView& view() const { return view_; }

 private:
  SystemView view_ = {{}, "/nonexistent", ""};
};

std::string address_text(const Interface& interface);
std::vector<std::string> names(const std::vector<Interface>& interfaces);
const Interface& named(const std::vector<Interface>& interfaces, std::string_view name);

// Removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace netsense::transport
