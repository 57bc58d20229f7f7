// The command line of netsense-perf: the options of nccl-tests, and a few of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/engine/ns_engine.h"
#include "tools/perf/collective.h"
#include "tools/perf/sizes.h"

namespace netsense::perf {

enum class EngineChoice : uint8_t { kAuto, kHost, kNccl };

// How one time is made of all ranks' times, numbered as in nccl-tests' -a.
enum class Average : uint8_t { kRank0 = 0, kMean = 1, kMin = 2, kMax = 3 };

struct Options {
  Collective collective = Collective::kAllReduce;
  SizeRange sizes;
  int iterations = 20;
  int warmup_iterations = 5;
  int check = 1;         // checked repetitions per size; 0: none
  double tolerance = 0;  // error that sums of floats may have; 0: they are to be exact
  std::vector<ns_type> types{ns_float32};
  std::vector<ns_op> ops{ns_sum};
  std::vector<int> roots{0};  // empty: every rank in turn
  Average average = Average::kMean;
  std::optional<int> local_ranks;  // --ranks
  std::string rendezvous;          // "host:port", empty: from the environment
  std::string input;               // file with real data, empty: generated
  EngineChoice engine = EngineChoice::kAuto;
  std::string json;  // file, "-": standard output, empty: none
  std::chrono::seconds timeout{600};
};

// None when the command line asked for help or the version, which is printed then. Throws UsageError.
[[nodiscard]] std::optional<Options> parse_options(int argc, const char* const* argv);

}  // namespace netsense::perf
