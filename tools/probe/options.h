// The command line of netsense-probe.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "plugin/config/settings.h"
#include "tools/perf/membership.h"

namespace netsense::mesh {

struct Options {
  std::optional<int> local_ranks;                              // --ranks
  std::string rendezvous;                                      // "host:port"; empty: from the environment
  std::optional<perf::Membership> by_hand;                     // --hosts and --rank
  std::optional<std::string> interfaces;                       // NCCL's grammar; none: the settings'
  config::AddressFamily family = config::AddressFamily::kAny;  // any: the settings'
  std::chrono::milliseconds step{500};
  bool all_at_once = true;
  std::string json;  // file, "-": standard output, empty: none
  std::string html;  // file, empty: none
  std::chrono::seconds timeout{30};
};

// None when the command line asked for help or the version, which is printed then. Throws perf::UsageError.
[[nodiscard]] std::optional<Options> parse_options(int argc, const char* const* argv);

}  // namespace netsense::mesh
