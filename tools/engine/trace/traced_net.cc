#include "tools/engine/trace/traced_net.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "tools/engine/trace/handle_names.h"
#include "tools/engine/trace/text.h"
#include "tools/engine/trace/traced_transfers.h"

namespace netsense::engine {
namespace {

class TracedNet final : public Net, public HandleLabels {
 public:
  TracedNet(std::shared_ptr<Net> net, std::shared_ptr<Trace> trace, int rank)
      : net_(std::move(net)), trace_(std::move(trace)), rank_(rank), transfers_(*net_, *trace_) {}

  [[nodiscard]] const char* name() const override { return net_->name(); }
  [[nodiscard]] int version() const override { return net_->version(); }
  [[nodiscard]] bool has_attributes() const override { return net_->has_attributes(); }

  ns_result init(const NetInit& init, void** context) override {
    Trace::Call call(*trace_, "net", "init");
    const ns_result result = net_->init(init, context);
    if (!has_contexts()) {
      call.finish(R"("logFunction":"given")", "", result);
      return result;
    }
    std::string args;
    std::string out;
    {
      const auto lock = trace_->lock_labels();
      args = fmt::format(R"("commId":"{}","trafficClass":{},"logFunction":"given","profFunction":"given")",
                         labels().of_number("comm", init.comm_id), init.traffic_class);
      if (result == ns_success) out = fmt::format(R"("ctx":"{}")", labels().make("c", *context));
    }
    call.finish(std::move(args), std::move(out), result);
    return result;
  }

  ns_result finalize(void* context) override {
    if (!has_contexts()) return net_->finalize(context);
    Trace::Call call(*trace_, "net", "finalize");
    const std::string args = fmt::format(R"("ctx":"{}")", label("c", context));
    const ns_result result = net_->finalize(context);
    call.finish(args, "", result);
    return result;
  }

  ns_result devices(int* count) override {
    Trace::Call call(*trace_, "net", "devices");
    const ns_result result = net_->devices(count);
    call.finish("", fmt::format(R"("ndev":{})", *count), result);
    return result;
  }

  ns_result properties(int device, DeviceProperties* properties) override {
    Trace::Call call(*trace_, "net", "getProperties");
    const ns_result result = net_->properties(device, properties);
    call.finish(fmt::format(R"("dev":{})", device), properties_text(*properties, version()), result);
    return result;
  }

  ns_result set_attributes(void* context, const NetAttributes& attributes) override {
    Trace::Call call(*trace_, "net", "setNetAttr");
    const ns_result result = net_->set_attributes(context, attributes);
    const auto hint = [](const TrafficHint& h) {
      return fmt::format(R"({{"maxPeers":{},"minPeers":{},"maxFlows":{},"minFlows":{}}})", h.max_peers,
                         h.min_peers, h.max_flows, h.min_flows);
    };
    call.finish(
        fmt::format(R"("ctx":"{}","send":{},"recv":{},"op":{},"algo":{},"proto":{})", label("c", context),
                    hint(attributes.send), hint(attributes.recv), static_cast<int32_t>(attributes.op),
                    static_cast<int32_t>(attributes.algo), static_cast<int32_t>(attributes.proto)),
        "", result);
    return result;
  }

  ns_result listen(void* context, int device, Handle* handle, void** listener) override {
    Trace::Call call(*trace_, "net", "listen");
    const ns_result result = net_->listen(context, device, handle, listener);
    std::string out;
    if (result == ns_success) {
      const auto lock = trace_->lock_labels();
      const std::string& name = labels().make("l", *listener);
      out = fmt::format(R"("lc":"{}","handle":"rank{}/{}")", name, rank_, name);
    }
    call.finish(context_prefix(context) + fmt::format(R"("dev":{})", device), std::move(out), result);
    return result;
  }

  ns_result connect(void* context, int device, Handle* handle, void** comm) override {
    Trace::Call call(*trace_, "net", "connect");
    const std::string name = handles_.of(*handle);
    const ns_result result = net_->connect(context, device, handle, comm);
    const bool made = result == ns_success && *comm != nullptr;
    std::string out = R"("sc":null)";
    if (made) {
      out = fmt::format(R"("sc":"{}")", new_label("s", *comm));
    } else {
      handles_.learn(*handle, name);
    }
    call.finish(
        context_prefix(context) + fmt::format(R"("dev":{},"handle":"{}","sendDevComm":"null")", device, name),
        std::move(out), result, result == ns_success && !made ? Poll::kNothing : Poll::kNo);
    return result;
  }

  ns_result accept(void* listener, void** comm) override {
    Trace::Call call(*trace_, "net", "accept");
    const ns_result result = net_->accept(listener, comm);
    const bool made = result == ns_success && *comm != nullptr;
    call.finish(fmt::format(R"("lc":"{}","recvDevComm":"null")", label("l", listener)),
                made ? fmt::format(R"("rc":"{}")", new_label("r", *comm)) : R"("rc":null)", result,
                result == ns_success && !made ? Poll::kNothing : Poll::kNo);
    return result;
  }

  ns_result register_memory(void* comm, void* data, size_t bytes, MemoryKind kind, void** memory) override {
    Trace::Call call(*trace_, "net", "regMr");
    const ns_result result = net_->register_memory(comm, data, bytes, kind, memory);
    std::string args;
    std::string out;
    {
      const auto lock = trace_->lock_labels();
      args = registration_text(labels(), comm_label(comm), data, bytes, kind);
      if (result == ns_success) {
        out = fmt::format(R"("mr":"{}")", labels().add_memory(comm, *memory, data, bytes).label);
      }
    }
    call.finish(std::move(args), std::move(out), result);
    return result;
  }

  ns_result deregister_memory(void* comm, void* memory) override {
    Trace::Call call(*trace_, "net", "deregMr");
    std::string args;
    {
      const auto lock = trace_->lock_labels();
      args = fmt::format(R"("comm":"{}","mr":"{}")", comm_label(comm),
                         memory_label(labels(), comm, memory, nullptr));
      labels().remove_memory(comm, memory);
    }
    const ns_result result = net_->deregister_memory(comm, memory);
    call.finish(std::move(args), "", result);
    return result;
  }

  ns_result isend(void* comm, void* data, size_t bytes, int tag, void* memory, void* phandle,
                  void** request) override {
    return transfers_.isend(comm, data, bytes, tag, memory, phandle, request);
  }

  ns_result irecv(void* comm, const RecvBuffers& buffers, void** request) override {
    return transfers_.irecv(comm, buffers, request);
  }

  ns_result iflush(void* comm, int count, void** data, int* bytes, void** memory, void** request) override {
    return transfers_.iflush(comm, count, data, bytes, memory, request);
  }

  ns_result test(void* request, int* done, int* sizes) override {
    return transfers_.test(request, done, sizes);
  }

  ns_result close_send(void* comm) override { return close(comm, "closeSend", "sc", "s", &Net::close_send); }
  ns_result close_recv(void* comm) override { return close(comm, "closeRecv", "rc", "r", &Net::close_recv); }

  ns_result close_listen(void* listener) override {
    Trace::Call call(*trace_, "net", "closeListen");
    const std::string args = fmt::format(R"("lc":"{}")", label("l", listener));
    const ns_result result = net_->close_listen(listener);
    call.finish(args, "", result);
    return result;
  }

  HandleLabel label_of(const void* listener) override {
    HandleLabel out{};
    const std::string text = fmt::format("rank{}/{}", rank_, label("l", listener));
    std::copy_n(text.data(), std::min(text.size(), out.size() - 1), out.data());
    return out;
  }

  void learn(const Handle& handle, const HandleLabel& label) override {
    handles_.learn(handle, label.data());
  }

 private:
  Labels& labels() { return trace_->labels(); }

  std::string label(std::string_view kind, const void* object) {
    const auto lock = trace_->lock_labels();
    return labels().of(kind, object);
  }

  std::string new_label(std::string_view kind, const void* object) {
    const auto lock = trace_->lock_labels();
    kinds_[object] = kind;
    return labels().make(kind, object);
  }

  // With the labels locked.
  std::string comm_label(const void* comm) { return labels().of(kinds_[comm], comm); }

  std::string context_prefix(const void* context) {
    return has_contexts() ? fmt::format(R"("ctx":"{}",)", label("c", context)) : std::string();
  }

  ns_result close(void* comm, const char* name, const char* key, const char* kind,
                  ns_result (Net::*close)(void*)) {
    Trace::Call call(*trace_, "net", name);
    const ns_result result = (net_.get()->*close)(comm);
    std::string args;
    std::string out;
    {
      const auto lock = trace_->lock_labels();
      const Labels::Usage used = labels().usage(comm);
      args = fmt::format(R"("{}":"{}")", key, labels().of(kind, comm));
      out = fmt::format(R"("ops":{},"bytes":{},"max_outstanding":{},"left":{})", used.operations, used.bytes,
                        used.most_outstanding, used.outstanding);
      labels().forget_usage(comm);
      labels().forget(kind, comm);
      kinds_.erase(comm);
    }
    call.finish(std::move(args), std::move(out), result);
    return result;
  }

  std::shared_ptr<Net> net_;
  std::shared_ptr<Trace> trace_;
  int rank_;
  std::map<const void*, std::string> kinds_;  // of comms: s or r
  HandleNames handles_;
  TracedTransfers transfers_;
};

}  // namespace

std::shared_ptr<Net> make_traced_net(std::shared_ptr<Net> net, std::shared_ptr<Trace> trace, int rank) {
  return std::make_shared<TracedNet>(std::move(net), std::move(trace), rank);
}

HandleLabels* handle_labels(Net& net) {
  return dynamic_cast<TracedNet*>(&net);
}

}  // namespace netsense::engine
