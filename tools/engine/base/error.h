// Errors inside the engine: thrown as EngineError on the set-up paths, turned into an ns_result and the text
// of ns_last_error at the C API. The proxy's data path passes ns_result values instead.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "tools/engine/ns_engine.h"

namespace netsense::engine {

class EngineError : public std::runtime_error {
 public:
  EngineError(ns_result result, const std::string& text) : std::runtime_error(text), result_(result) {}
  [[nodiscard]] ns_result result() const { return result_; }

 private:
  ns_result result_;
};

template <typename... Args>
[[noreturn]] void fail(ns_result result, fmt::format_string<Args...> format, Args&&... args) {
  throw EngineError(result, fmt::format(format, std::forward<Args>(args)...));
}

// Throws unless result is ns_success; `what` names the call that failed.
void check(ns_result result, std::string_view what);

// "Cannot connect: Connection refused" for errno.
std::string with_errno(std::string_view what, int error);

void set_last_error(std::string text);
const char* last_error();
const char* result_name(ns_result result);

}  // namespace netsense::engine
