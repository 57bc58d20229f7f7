// Wraps each plugin so that its calls appear in the trace.
#pragma once

#include <memory>

#include "tools/engine/loader/plugins.h"
#include "tools/engine/trace/trace.h"

namespace netsense::engine {

// trace may be null: then nothing is wrapped.
std::unique_ptr<PluginWrapper> make_trace_wrapper(std::shared_ptr<Trace> trace, int rank);

std::shared_ptr<CollNet> make_traced_collnet(std::shared_ptr<CollNet> collnet, std::shared_ptr<Trace> trace,
                                             int rank);
std::shared_ptr<Profiler> make_traced_profiler(std::shared_ptr<Profiler> profiler,
                                               std::shared_ptr<Trace> trace);

}  // namespace netsense::engine
