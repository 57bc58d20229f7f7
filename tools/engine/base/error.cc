#include "tools/engine/base/error.h"

#include <system_error>

namespace netsense::engine {
namespace {

std::string& last_error_text() {
  thread_local std::string text = "no error";
  return text;
}

}  // namespace

void check(ns_result result, std::string_view what) {
  if (result != ns_success) fail(result, "{} failed: {}", what, result_name(result));
}

std::string with_errno(std::string_view what, int error) {
  return fmt::format("{}: {}", what, std::generic_category().message(error));
}

void set_last_error(std::string text) {
  last_error_text() = std::move(text);
}

const char* last_error() {
  return last_error_text().c_str();
}

const char* result_name(ns_result result) {
  switch (result) {
    case ns_success:
      return "no error";
    case ns_unhandled_cuda_error:
      return "unhandled CUDA error";
    case ns_system_error:
      return "system error";
    case ns_internal_error:
      return "internal error";
    case ns_invalid_argument:
      return "invalid argument";
    case ns_invalid_usage:
      return "invalid usage";
    case ns_remote_error:
      return "remote process exited or there was a network error";
    case ns_in_progress:
      return "operation in progress";
  }
  return "unknown result code";
}

}  // namespace netsense::engine
