#include "tools/top/options.h"

#include <CLI/CLI.hpp>
#include <map>

#include "tools/stats/reader.h"

namespace netsense::top {

std::optional<Options> parse_options(int argc, char** argv, int* status) {
  Options options;
  options.directory = stats::kDefaultDirectory;
  double interval = 1;
  uint64_t pid = 0;
  CLI::App app(
      "Shows the connections of all processes on this host that NCCL uses netsense in. A live table on a "
      "terminal "
      "(q ends it, the arrow keys scroll), lines otherwise.",
      "netsense-top");
  app.set_version_flag("--version", NETSENSE_VERSION);
  app.add_option("--dir", options.directory,
                 "where the processes keep their statistics: their NETSENSE_STATS_DIR")
      ->envname("NETSENSE_STATS_DIR")
      ->capture_default_str();
  app.add_option("--interval", interval, "seconds from one look to the next")
      ->check(CLI::Range(0.05, 3600.0))
      ->capture_default_str();
  app.add_flag("--once", options.once, "look once and end; rates are then means over a connection's life");
  app.add_flag("--json", options.json, "JSON, one line a look");
  const std::map<std::string, SortBy> orders{{"rate", SortBy::kRate},   {"peer", SortBy::kPeer},
                                             {"pid", SortBy::kPid},     {"delay", SortBy::kDelay},
                                             {"ratio", SortBy::kRatio}, {"errors", SortBy::kErrors}};
  app.add_option("--sort", options.sort, "what decides who comes first")
      ->transform(CLI::CheckedTransformer(orders, CLI::ignore_case));
  app.add_option("--peer", options.peer, "only connections whose peer has this text in its address");
  const CLI::Option* by_pid = app.add_option("--pid", pid, "only this process");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    *status = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  options.interval = std::chrono::duration<double>(interval);
  if (by_pid->count() != 0) options.pid = pid;
  return options;
}

}  // namespace netsense::top
