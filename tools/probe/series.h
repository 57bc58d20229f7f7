// The whole measurement of one rank, step by step together with all others.
#pragma once

#include <functional>

#include "tools/perf/rendezvous.h"
#include "tools/probe/links.h"
#include "tools/probe/options.h"

namespace netsense::mesh {

// Called before each step with its number and how many there are.
using Progress = std::function<void(size_t step, size_t steps)>;

// Collective. Every rank gets the whole result.
[[nodiscard]] Mesh measure(const Options& options, perf::Rendezvous& rendezvous, Links& links,
                           const Progress& progress);

// How many steps that takes: three per round (idle; load one way; load the other way) and one for all at
// once.
[[nodiscard]] size_t count_steps(const Options& options, int ranks);

}  // namespace netsense::mesh
