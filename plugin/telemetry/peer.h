// A peer's name, as connections have it.
#pragma once

#include <string_view>

namespace netsense::telemetry {

// Without the port, which differs from connection to connection.
constexpr std::string_view host_of(std::string_view peer) {
  return peer.substr(0, peer.rfind(':'));
}

}  // namespace netsense::telemetry
