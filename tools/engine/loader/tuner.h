// A tuner plugin as the engine uses it (tuner v5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tools/engine/ns_engine.h"
#include "tools/engine/plan/cost.h"

namespace netsense::engine {

struct TunerInit {
  uint64_t comm_id = 0;
  size_t ranks = 0;
  size_t nodes = 0;
};

struct TunerCall {
  Function function = Function::kAllReduce;
  size_t bytes = 0;
  int pipe_ops = 1;
  bool registered = false;
};

class Tuner {
 public:
  Tuner() = default;
  Tuner(const Tuner&) = delete;
  Tuner& operator=(const Tuner&) = delete;
  virtual ~Tuner() = default;

  [[nodiscard]] virtual const char* name() const = 0;
  virtual ns_result init(const TunerInit& init, void** context) = 0;
  // May change the costs and set the number of channels (0: NCCL's choice).
  virtual ns_result coll_info(void* context, const TunerCall& call, CostTable& costs, int* channels) = 0;
  virtual ns_result finalize(void* context) = 0;
};

// ncclTunerPlugin_v5 of a loaded library, which must outlive the result; null when there is none.
std::shared_ptr<Tuner> find_tuner(void* library);

}  // namespace netsense::engine
