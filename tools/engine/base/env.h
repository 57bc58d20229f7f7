// Environment variables as NCCL reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace netsense::engine {

// Unset and empty are different things: an empty value is returned as such.
std::optional<std::string> env_string(const char* name);

// NCCL_PARAM semantics: decimal, hexadecimal or octal; a value that is no number counts as unset (with a log
// line).
int64_t env_int(const char* name, int64_t otherwise);

}  // namespace netsense::engine
