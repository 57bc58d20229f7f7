// What the system says of its network interfaces.
#pragma once

#include <optional>
#include <string>

namespace netsense::transport {

inline constexpr int kAssumedSpeedMbps = 10000;  // NCCL's guess for an interface that does not tell

// sysfs: the folder that has one entry per interface. Neither call fails: what cannot be read is not known.

// Line rate in Mbit/s.
std::optional<int> read_speed_mbps(const std::string& sysfs, const std::string& name);

// Real path of the interface's device; empty when it has none.
std::string read_pci_path(const std::string& sysfs, const std::string& name);

}  // namespace netsense::transport
