// Finds the net symbol of a loaded library.
#pragma once

#include <memory>
#include <string>

#include "tools/engine/loader/net.h"

namespace netsense::engine {

// The newest of ncclNetPlugin_v12 to _v6 in the library, or only the wanted version when that is not 0; null
// when there is none. `tried` gets the names that were looked for. The library must outlive the result.
std::shared_ptr<Net> find_net(void* library, int wanted_version, std::string* tried);

}  // namespace netsense::engine
