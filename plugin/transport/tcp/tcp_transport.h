// TCP over the interfaces that NCCL would use.
#pragma once

#include <memory>

#include "plugin/config/settings.h"
#include "plugin/transport/transport.h"

namespace netsense::tcp {

std::unique_ptr<transport::Transport> make_transport(const config::Settings& settings);

}  // namespace netsense::tcp
