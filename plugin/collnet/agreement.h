// The settings by which a rank chooses how NCCL calls collectives: were they not the same on all ranks, these
// would wait for each other.
#pragma once

#include "plugin/collnet/mesh.h"
#include "plugin/config/settings.h"

namespace netsense::collnet {

Agreement agreement_of(const config::Settings& settings);

}  // namespace netsense::collnet
