// What ends a run: one line that says what happened, to whom, and what to do.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace netsense::perf {

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& text) : std::runtime_error(text) {}
  template <typename... Args>
  explicit Error(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

// A wrong command line or environment, as opposed to something that failed while running.
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace netsense::perf
