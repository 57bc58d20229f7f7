// The command line of netsense-exporter.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace netsense::exporter {

struct Options {
  std::string directory;
  std::string listen = "127.0.0.1:9479";
  std::string text_file;  // empty: serve over HTTP
  std::chrono::duration<double> interval{15};
  bool once = false;
};

// Nothing when it only asked for help, which is then printed, or is wrong: *status is what to exit with.
std::optional<Options> parse_options(int argc, char** argv, int* status);

}  // namespace netsense::exporter
