// The little language of the conformance cases: steps separated by commas, each "name[*times][:number]".
// For example "ar*3:1048576,new,use:1,sr:4096".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace netsense::engine_test {

struct Step {
  std::string name;
  int times = 1;
  size_t number = 0;  // bytes, or the communicator of "use"
};

// Throws std::invalid_argument on anything else.
std::vector<Step> parse_script(std::string_view script);

// The largest number of bytes that a step moves per rank.
size_t largest_step(const std::vector<Step>& steps);

}  // namespace netsense::engine_test
