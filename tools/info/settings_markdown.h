// docs/settings.md, made from the table of settings.
#pragma once

#include <string>

namespace netsense::info {

std::string settings_markdown();

}  // namespace netsense::info
