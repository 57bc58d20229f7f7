// The report for people and for programs, and the reference of the settings.
#pragma once

#include <string>

#include "tools/info/report.h"

namespace netsense::info {

std::string text_report(const Report& report);

// One object; the names of its members are stable.
std::string json_report(const Report& report);

// docs/settings.md.
std::string settings_markdown();

}  // namespace netsense::info
