#include "tools/report/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace netsense::report {

std::optional<Options> parse_options(int argc, char** argv, int* status) {
  Options options;
  CLI::App app(
      "Shows what NETSENSE_TRACE has recorded: queue delay, bandwidth, codecs and decisions over time. "
      "Traces of "
      "several ranks go into one report. A summary is printed; pages and pictures are written where asked "
      "for.",
      "netsense-report");
  app.set_version_flag("--version", NETSENSE_VERSION);
  app.add_option("traces", options.traces, "trace files, or directories with *.trace in them")->required();
  app.add_option("-o,--output", options.html, "write the report to this HTML file");
  app.add_option(
      "--svg", options.svg,
      "write a picture of the path that carried the most to this SVG file: queue delay, bandwidth, codecs");
  app.add_option("--title", options.title, "title of that picture");
  app.add_option("--peer", options.peer, "only connections whose peer has this text in its address");
  app.add_flag("--json", options.json, "print the summary as JSON");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    *status = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  return options;
}

std::vector<std::string> find_traces(const std::vector<std::string>& names) {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (!fs::is_directory(name)) {
      found.push_back(name);
      continue;
    }
    const auto first = static_cast<std::ptrdiff_t>(found.size());
    for (const auto& entry : fs::directory_iterator(name)) {
      if (entry.path().extension() == ".trace") found.push_back(entry.path().string());
    }
    std::sort(found.begin() + first, found.end());
    if (static_cast<std::ptrdiff_t>(found.size()) == first) {
      throw std::runtime_error(fmt::format("there is no *.trace in {}", name));
    }
  }
  return found;
}

}  // namespace netsense::report
