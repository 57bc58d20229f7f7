// The way out to the C ABI, which must not see an exception.
#pragma once

#include <new>
#include <stdexcept>
#include <utility>

#include "plugin/core/log.h"
#include "plugin/core/status.h"

namespace netsense::core {

// An error that leaves a comm is final for it: to be passed on the way out.
Status finish(Status status);

template <typename Function>
Status guarded(const char* what, Function&& function) noexcept {
  try {
    return std::forward<Function>(function)();
  } catch (const std::bad_alloc&) {
    NETSENSE_WARN("{}: out of memory", what);
    return Status::kSystemError;
  } catch (const std::exception& error) {
    NETSENSE_WARN("{}: {}", what, error.what());
    return Status::kInternalError;
  } catch (...) {
    NETSENSE_WARN("{}: unexpected exception", what);
    return Status::kInternalError;
  }
}

inline Status invalid(const char* what) {
  NETSENSE_WARN("{}", what);
  return Status::kInvalidArgument;
}

}  // namespace netsense::core
