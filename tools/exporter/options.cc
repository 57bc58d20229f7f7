#include "tools/exporter/options.h"

#include <CLI/CLI.hpp>

#include "tools/stats/reader.h"

namespace netsense::exporter {

std::optional<Options> parse_options(int argc, char** argv, int* status) {
  Options options;
  options.directory = stats::kDefaultDirectory;
  double interval = options.interval.count();
  CLI::App app("Gives Prometheus the statistics of all processes on this host that NCCL uses netsense in.",
               "netsense-exporter");
  app.set_version_flag("--version", NETSENSE_VERSION);
  app.add_option("--dir", options.directory,
                 "where the processes keep their statistics: their NETSENSE_STATS_DIR")
      ->envname("NETSENSE_STATS_DIR")
      ->capture_default_str();
  app.add_option("--listen", options.listen, "address and port to serve /metrics on")->capture_default_str();
  CLI::Option* text_file =
      app.add_option("--textfile", options.text_file,
                     "write this file instead, for node_exporter's textfile collector (*.prom)");
  app.add_option("--interval", interval, "seconds from one writing of the file to the next")
      ->check(CLI::Range(0.05, 86400.0))
      ->needs(text_file)
      ->capture_default_str();
  app.add_flag("--once", options.once, "write the file once and end")->needs(text_file);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    *status = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  options.interval = std::chrono::duration<double>(interval);
  return options;
}

}  // namespace netsense::exporter
