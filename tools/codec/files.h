// Whole files in and out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace netsense::codec {

// Throws Error.
std::vector<uint8_t> read_file(const std::string& path);

// Writes beside the path and renames, so that a failure leaves no half file. Throws Error, also when there is
// such a file already and it may not be replaced.
void write_file(const std::string& path, std::span<const uint8_t> bytes, bool may_replace);

}  // namespace netsense::codec
