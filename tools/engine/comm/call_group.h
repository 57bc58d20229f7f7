// ns_group_start and ns_group_end: calls between them are started together.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tools/engine/base/error.h"

namespace netsense::engine {

class Comm;

// Of the calling thread.
class CallGroup {
 public:
  static CallGroup& current();

  void start() { ++depth_; }
  // Launches at the outermost end; throws the first error. After an error of a call inside nothing is
  // launched.
  void end();
  // A call failed: that ends the open group, if there is one.
  void note(const EngineError& error);
  // Runs one API call, in a group of its own when none is open. call gets the depth, its own group counted.
  void call(Comm& comm, const std::function<void(int depth)>& call);
  // A communicator that goes away is forgotten.
  void forget(const Comm& comm);

 private:
  int depth_ = 0;
  std::optional<EngineError> error_;
  std::vector<Comm*> comms_;  // with calls in the open group, in the order of their first call
};

}  // namespace netsense::engine
