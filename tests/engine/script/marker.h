// Marks of the test program in the engine's trace, as the recorded program left them. The engine itself marks
// init, destroy and abort.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tools/engine/trace/trace.h"

namespace netsense::engine_test {

class Marker {
 public:
  explicit Marker(int rank) : trace_(engine::Trace::for_rank(rank)) {}

  void operator()(std::string_view call,
                  const nlohmann::ordered_json& arguments = nlohmann::ordered_json::object()) const {
    if (trace_ == nullptr) return;
    const std::string text = arguments.dump();
    trace_->mark(call, text.substr(1, text.size() - 2));
  }

 private:
  std::shared_ptr<engine::Trace> trace_;  // null when no trace is written
};

}  // namespace netsense::engine_test
