#include "tools/engine/trace/traced_plugins.h"

#include <fmt/format.h>

#include "tools/engine/trace/traced_net.h"

namespace netsense::engine {
namespace {

class TracedTuner final : public Tuner {
 public:
  TracedTuner(std::shared_ptr<Tuner> tuner, std::shared_ptr<Trace> trace)
      : tuner_(std::move(tuner)), trace_(std::move(trace)) {}

  [[nodiscard]] const char* name() const override { return tuner_->name(); }

  ns_result init(const TunerInit& init, void** context) override {
    Trace::Call call(*trace_, "tuner", "init");
    const ns_result result = tuner_->init(init, context);
    std::string args;
    {
      const auto lock = trace_->lock_labels();
      args =
          fmt::format(R"("commId":"{}","nRanks":{},"nNodes":{},"nvlDomainInfo":[{},1,1],"constants":"given")",
                      trace_->labels().of_number("comm", init.comm_id), init.ranks, init.nodes, init.ranks);
      label_ = trace_->labels().make("t", *context);
    }
    call.finish(std::move(args), fmt::format(R"("ctx":"{}")", label_), result);
    return result;
  }

  ns_result coll_info(void* context, const TunerCall& query, CostTable& costs, int* channels) override {
    Trace::Call call(*trace_, "tuner", "getCollInfo");
    std::string table;
    for (const auto& row : costs) {
      table += fmt::format("{}[{:g},{:g},{:g}]", table.empty() ? "" : ",", row[0], row[1], row[2]);
    }
    const int channels_in = *channels;
    const ns_result result = tuner_->coll_info(context, query, costs, channels);
    call.finish(
        fmt::format(R"("ctx":"{}","collType":{},"nBytes":{},"numPipeOps":{},"numAlgo":{},"numProto":{},)"
                    R"("regBuff":{},"nChannels_in":{},"cost":[{}])",
                    label_, static_cast<int>(query.function), query.bytes, query.pipe_ops, kAlgorithms,
                    kProtocols, query.registered ? 1 : 0, channels_in, table),
        "", result);
    return result;
  }

  ns_result finalize(void* context) override {
    Trace::Call call(*trace_, "tuner", "finalize");
    const ns_result result = tuner_->finalize(context);
    call.finish(fmt::format(R"("ctx":"{}")", label_), "", result);
    return result;
  }

 private:
  std::shared_ptr<Tuner> tuner_;
  std::shared_ptr<Trace> trace_;
  std::string label_;
};

class TraceWrapper final : public PluginWrapper {
 public:
  TraceWrapper(std::shared_ptr<Trace> trace, int rank) : trace_(std::move(trace)), rank_(rank) {}

  std::shared_ptr<Net> wrap(std::shared_ptr<Net> net) override {
    return make_traced_net(std::move(net), trace_, rank_);
  }
  std::shared_ptr<CollNet> wrap(std::shared_ptr<CollNet> collnet) override {
    return make_traced_collnet(std::move(collnet), trace_, rank_);
  }
  std::shared_ptr<Tuner> wrap(std::shared_ptr<Tuner> tuner) override {
    return std::make_shared<TracedTuner>(std::move(tuner), trace_);
  }
  std::shared_ptr<Profiler> wrap(std::shared_ptr<Profiler> profiler) override {
    return make_traced_profiler(std::move(profiler), trace_);
  }

 private:
  std::shared_ptr<Trace> trace_;
  int rank_;
};

}  // namespace

std::unique_ptr<PluginWrapper> make_trace_wrapper(std::shared_ptr<Trace> trace, int rank) {
  if (!trace) return std::make_unique<PluginWrapper>();
  return std::make_unique<TraceWrapper>(std::move(trace), rank);
}

}  // namespace netsense::engine
