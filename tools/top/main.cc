// netsense-top: the connections of this host's processes, live.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <thread>

#include "tools/stats/json.h"
#include "tools/top/options.h"
#include "tools/top/screen.h"
#include "tools/top/table.h"

namespace netsense::top {
namespace {

uint64_t unix_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

void print(const Options& options, const stats::Host& host, const std::vector<stats::Row>& rows) {
  if (options.json) {
    fmt::print("{}\n", stats::to_json(host, rows).dump());
  } else {
    for (const std::string& line : table(host, rows)) fmt::print("{}\n", line);
  }
  std::fflush(stdout);
}

int run(const Options& options) {
  std::optional<Screen> screen;
  stats::RateMeter meter;
  for (;;) {
    // Before the screen: an error is for the terminal as it was.
    const stats::Host host = stats::read_host(options.directory);
    const std::vector<stats::Row> rows = select(meter.rows(host, stats::Clock::now(), unix_ns()), options);
    if (!options.once && !options.json && ::isatty(STDOUT_FILENO) != 0) {
      if (!screen) screen.emplace();
      screen->show(table(host, rows));
      if (!screen->wait(options.interval)) return 0;
      continue;
    }
    print(options, host, rows);
    if (options.once || std::ferror(stdout) != 0) return 0;
    std::this_thread::sleep_for(options.interval);
  }
}

}  // namespace
}  // namespace netsense::top

int main(int argc, char** argv) {
  try {
    int status = 0;
    const auto options = netsense::top::parse_options(argc, argv, &status);
    return options ? netsense::top::run(*options) : status;
  } catch (const std::exception& error) {
    fmt::print(stderr, "netsense-top: {}\n", error.what());
    return 1;
  }
}
