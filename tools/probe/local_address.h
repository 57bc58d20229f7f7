// Which of this machine's addresses is measured.
#pragma once

#include "tools/probe/cell.h"
#include "tools/probe/options.h"

namespace netsense::mesh {

// The first interface that the plugin would take, with the host's name. Ranks that --ranks started on one
// machine use loopback unless an interface is asked for. Throws perf::Error with the reasons when there is
// none.
[[nodiscard]] Host find_local_address(const Options& options);

}  // namespace netsense::mesh
