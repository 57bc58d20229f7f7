// What codes in a trace stand for, in words.
#pragma once

#include <cstddef>
#include <string_view>

#include "tools/report/totals.h"

namespace netsense::report {

// action, reason: indices as in Totals.
std::string_view action_name(size_t action);
// As the answer to "why?".
std::string_view reason_name(size_t reason);
// For programs.
std::string_view reason_key(size_t reason);

std::string_view mode_name(uint8_t mode);
std::string_view codec_setting_name(uint8_t codec);

}  // namespace netsense::report
