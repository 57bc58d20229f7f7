// Statistics files of processes that were killed.
#pragma once

#include <string>

namespace netsense::telemetry {

// Removes those of this user in that directory whose process has surely ended. Returns how many.
size_t remove_leftovers(const std::string& directory);

}  // namespace netsense::telemetry
