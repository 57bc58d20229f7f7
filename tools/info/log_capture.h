// What the plugin and the loader write to NCCL's log while this program runs them.
#pragma once

#include <string>
#include <vector>

#include "plugin/core/fd.h"

namespace netsense::info {

// The log goes into memory instead of the report's output, from level WARN on. Where the user set NCCL_DEBUG
// or NCCL_DEBUG_FILE, these count. Make it before anything is logged: the log's place is settled by the first
// line.
class LogCapture {
 public:
  LogCapture();
  // The lines so far, without empty ones.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  core::Fd file_;
};

}  // namespace netsense::info
