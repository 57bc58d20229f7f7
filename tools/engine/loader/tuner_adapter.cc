#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

#include "plugin/abi/tuner_v5.h"
#include "tools/engine/base/logger.h"
#include "tools/engine/loader/tuner.h"

namespace netsense::engine {
namespace {

static_assert(abi::kTunerAlgorithms == kAlgorithms && abi::kTunerProtocols == kProtocols);

class TunerAdapter final : public Tuner {
 public:
  explicit TunerAdapter(abi::TunerV5* table) : table_(table) {}

  [[nodiscard]] const char* name() const override { return table_->name; }

  ns_result init(const TunerInit& init, void** context) override {
    const int ranks = static_cast<int>(init.ranks);
    abi::NvlDomainInfoV5 domains{ranks, 1, 1};  // one rank on each node
    abi::TunerConstantsV5 constants{};
    return static_cast<ns_result>(
        table_->init(context, init.comm_id, init.ranks, init.nodes, &ns_engine_log, &domains, &constants));
  }

  ns_result coll_info(void* context, const TunerCall& call, CostTable& costs, int* channels) override {
    // The table crosses the ABI as a pointer to its first row; the plugin casts it back to
    // float[][protocols].
    auto** rows = reinterpret_cast<float**>(costs.data());
    return static_cast<ns_result>(table_->get_coll_info(context, static_cast<int>(call.function), call.bytes,
                                                        call.pipe_ops, rows, kAlgorithms, kProtocols,
                                                        call.registered ? 1 : 0, channels));
  }

  ns_result finalize(void* context) override { return static_cast<ns_result>(table_->finalize(context)); }

 private:
  abi::TunerV5* table_;
};

}  // namespace

std::shared_ptr<Tuner> find_tuner(void* library) {
  auto* table = static_cast<abi::TunerV5*>(dlsym(library, "ncclTunerPlugin_v5"));
  if (table == nullptr) return nullptr;
  log_info(kLogInit | kLogTuning, "TUNER/Plugin: Using {} (v5)", table->name);
  return std::make_shared<TunerAdapter>(table);
}

}  // namespace netsense::engine
