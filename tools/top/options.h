// The command line of netsense-top.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace netsense::top {

enum class SortBy : uint8_t { kRate, kPeer, kPid, kDelay, kRatio, kErrors };

struct Options {
  std::string directory;
  std::chrono::duration<double> interval{1};
  bool once = false;
  bool json = false;
  SortBy sort = SortBy::kRate;
  std::string peer;  // only those with this text in them; empty: all
  std::optional<uint64_t> pid;
};

// Nothing when it only asked for help, which is then printed, or is wrong: *status is what to exit with.
std::optional<Options> parse_options(int argc, char** argv, int* status);

}  // namespace netsense::top
