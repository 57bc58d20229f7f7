// Whether a comm still works. The first error is kept, said once, and given back for ever after.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "plugin/core/log.h"
#include "plugin/core/status.h"

namespace netsense::tcp {

class Health {
 public:
  [[nodiscard]] bool ok() const { return status_.load(std::memory_order_acquire) == Status::kOk; }
  [[nodiscard]] Status status() const { return status_.load(std::memory_order_acquire); }

  // Returns whether this was the first error; only then it was logged.
  bool fail(Status status, std::string_view text) {
    if (claimed_.exchange(true, std::memory_order_acq_rel)) return false;
    // Logged before anybody can see the status: NCCL, or NETSENSE_ABORT_ON_ERROR, may end the process for it.
    NETSENSE_WARN("{}", text);
    status_.store(status, std::memory_order_release);
    return true;
  }

  // The comm ends without an error of its own to report.
  void end(Status status) {
    if (!claimed_.exchange(true, std::memory_order_acq_rel)) status_.store(status, std::memory_order_release);
  }

 private:
  std::atomic<bool> claimed_{false};
  std::atomic<Status> status_{Status::kOk};
};

}  // namespace netsense::tcp
