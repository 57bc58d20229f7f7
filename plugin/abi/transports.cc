#include "plugin/core/transports.h"

#include "plugin/transport/tcp/tcp_transport.h"

namespace netsense::core {

std::vector<std::unique_ptr<transport::Transport>> make_transports(const config::Settings& settings) {
  std::vector<std::unique_ptr<transport::Transport>> transports;
  transports.push_back(tcp::make_transport(settings));
  return transports;
}

}  // namespace netsense::core
