// Runs a probe where it can do no harm.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace netsense::info {

struct Outcome {
  bool finished = false;
  std::string text;  // what the work returned, or why it did not finish
};

// Calls `work` in a forked process: a foreign library that crashes, hangs or starts threads while it is loaded cannot
// take the report down. Call it while the process has one thread.
Outcome run_isolated(const std::function<std::string()>& work, std::chrono::milliseconds limit);

}  // namespace netsense::info
