// What netsense-report is asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace netsense::report {

struct Options {
  std::vector<std::string> traces;  // files, or directories that hold them
  std::string html;                 // empty: none
  std::string svg;                  // empty: none
  std::string title;                // of the SVG; empty: its path's
  std::string peer;                 // only connections whose peer has this text in its address
  bool json = false;
};

// Nothing when the program is to end with *status.
std::optional<Options> parse_options(int argc, char** argv, int* status);

// The traces that these name: of a directory, all files that end in .trace, in the order of their names.
// Throws std::runtime_error where there is none.
std::vector<std::string> find_traces(const std::vector<std::string>& names);

}  // namespace netsense::report
