#include "tools/info/version.h"

#include <netsense_git_hash.h>

namespace netsense::info {

Version version() { return {NETSENSE_VERSION, NETSENSE_GIT_HASH, NETSENSE_BUILD_TYPE}; }

}  // namespace netsense::info
