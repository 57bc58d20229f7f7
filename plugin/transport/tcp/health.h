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
    Status expected = Status::kOk;
    if (!status_.compare_exchange_strong(expected, status, std::memory_order_acq_rel)) return false;
    NETSENSE_WARN("{}", text);
    return true;
  }

 private:
  std::atomic<Status> status_{Status::kOk};
};

}  // namespace netsense::tcp
