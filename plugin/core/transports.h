// The transports this build offers, best first. Defined where everything meets (plugin/abi), so that the core
// depends on no transport.
#pragma once

#include <memory>
#include <vector>

#include "plugin/config/settings.h"
#include "plugin/transport/transport.h"

namespace netsense::core {

std::vector<std::unique_ptr<transport::Transport>> make_transports(const config::Settings& settings);

}  // namespace netsense::core
