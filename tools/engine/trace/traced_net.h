// A network plugin that writes each call to the trace before passing on its answer.
#pragma once

#include <memory>

#include "tools/engine/loader/net.h"
#include "tools/engine/trace/trace.h"

namespace netsense::engine {

std::shared_ptr<Net> make_traced_net(std::shared_ptr<Net> net, std::shared_ptr<Trace> trace, int rank);

// The label under which a trace shows a handle ("rank0/l0"): made by the listening rank, told to the
// connecting one together with the handle. Empty without a trace.
using HandleLabel = std::array<char, 24>;
class HandleLabels {
 public:
  virtual ~HandleLabels() = default;
  virtual HandleLabel label_of(const void* listener) = 0;
  virtual void learn(const Handle& handle, const HandleLabel& label) = 0;
};
// Null when `net` is not traced.
HandleLabels* handle_labels(Net& net);

}  // namespace netsense::engine
