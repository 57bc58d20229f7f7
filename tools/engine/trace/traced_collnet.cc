#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/engine/trace/text.h"
#include "tools/engine/trace/traced_plugins.h"

namespace netsense::engine {
namespace {

class TracedCollNet final : public CollNet {
 public:
  TracedCollNet(std::shared_ptr<CollNet> collnet, std::shared_ptr<Trace> trace, int rank)
      : collnet_(std::move(collnet)), trace_(std::move(trace)), rank_(rank) {}

  [[nodiscard]] const char* name() const override { return collnet_->name(); }

  ns_result init(uint64_t comm_id, void** context) override {
    Trace::Call call(*trace_, "collnet", "init");
    const ns_result result = collnet_->init(comm_id, context);
    std::string args;
    {
      const auto lock = trace_->lock_labels();
      args = fmt::format(R"("commId":"{}")", labels().of_number("comm", comm_id));
      context_ = labels().make("c", *context);
    }
    call.finish(std::move(args), fmt::format(R"("ctx":"{}")", context_), result);
    return result;
  }

  ns_result finalize(void* context) override {
    Trace::Call call(*trace_, "collnet", "finalize");
    const ns_result result = collnet_->finalize(context);
    call.finish(fmt::format(R"("ctx":"{}")", context_), "", result);
    return result;
  }

  ns_result devices(int* count) override {
    Trace::Call call(*trace_, "collnet", "devices");
    const ns_result result = collnet_->devices(count);
    call.finish("", fmt::format(R"("ndev":{})", *count), result);
    return result;
  }

  ns_result properties(int device, DeviceProperties* properties) override {
    constexpr int kVersion = 11;
    Trace::Call call(*trace_, "collnet", "getProperties");
    const ns_result result = collnet_->properties(device, properties);
    call.finish(fmt::format(R"("dev":{})", device), properties_text(*properties, kVersion), result);
    return result;
  }

  ns_result listen(void* context, int device, Handle* handle, void** listener) override {
    Trace::Call call(*trace_, "collnet", "listen");
    const ns_result result = collnet_->listen(context, device, handle, listener);
    std::string out;
    {
      const auto lock = trace_->lock_labels();
      const std::string& name = labels().make("kl", *listener);
      out = fmt::format(R"("lc":"{}","handle":"rank{}/{}")", name, rank_, name);
    }
    call.finish(fmt::format(R"("ctx":"{}","dev":{})", context_, device), std::move(out), result);
    return result;
  }

  ns_result connect(std::vector<Handle>& handles, int rank, void* listener, void** comm) override {
    Trace::Call call(*trace_, "collnet", "connect");
    const std::string listening = label("kl", listener);
    const ns_result result = collnet_->connect(handles, rank, listener, comm);
    // All ranks do the same, so that their listeners bear the same name.
    std::vector<std::string> names;
    for (size_t i = 0; i < handles.size(); ++i) names.push_back(fmt::format(R"("rank{}/{}")", i, listening));
    std::string out = R"("cc":null)";
    if (result == ns_success && *comm != nullptr) {
      const auto lock = trace_->lock_labels();
      out = fmt::format(R"("cc":"{}")", labels().make("k", *comm));
    }
    call.finish(fmt::format(R"("handles":[{}],"nranks":{},"rank":{},"lc":"{}")", fmt::join(names, ","),
                            handles.size(), rank, listening),
                std::move(out), result);
    return result;
  }

  ns_result reduce_support(ns_type type, ns_op op, int* supported) override {
    Trace::Call call(*trace_, "collnet", "reduceSupport");
    const ns_result result = collnet_->reduce_support(type, op, supported);
    call.finish(fmt::format(R"("datatype":{},"op":{})", static_cast<int>(type), static_cast<int>(op)),
                fmt::format(R"("supported":{})", *supported), result);
    return result;
  }

  ns_result register_memory(void* comm, void* data, size_t bytes, MemoryKind kind, void** memory) override {
    Trace::Call call(*trace_, "collnet", "regMr");
    const ns_result result = collnet_->register_memory(comm, data, bytes, kind, memory);
    std::string args;
    std::string out;
    {
      const auto lock = trace_->lock_labels();
      args = registration_text(labels(), labels().of("k", comm), data, bytes, kind);
      if (result == ns_success) {
        out = fmt::format(R"("mr":"{}")", labels().add_memory(comm, *memory, data, bytes).label);
      }
    }
    call.finish(std::move(args), std::move(out), result);
    return result;
  }

  ns_result deregister_memory(void* comm, void* memory) override {
    Trace::Call call(*trace_, "collnet", "deregMr");
    std::string args;
    {
      const auto lock = trace_->lock_labels();
      args = fmt::format(R"("comm":"{}","mr":"{}")", labels().of("k", comm),
                         memory_label(labels(), comm, memory, nullptr));
      labels().remove_memory(comm, memory);
    }
    const ns_result result = collnet_->deregister_memory(comm, memory);
    call.finish(std::move(args), "", result);
    return result;
  }

  ns_result iallreduce(void* comm, const CollNetReduction& r, void** request) override {
    Trace::Call call(*trace_, "collnet", "iallreduce");
    const void* request_in = *request;
    const ns_result result = collnet_->iallreduce(comm, r, request);
    const bool made = result == ns_success && *request != nullptr;
    const size_t bytes = r.count * ns_type_size(r.type);
    std::string args;
    std::string out;
    {
      const auto lock = trace_->lock_labels();
      args =
          fmt::format(R"("cc":"{}","count":{},"datatype":{},"op":{},"send":{},"recv":{},"request_in":{})",
                      labels().of("k", comm), r.count, static_cast<int>(r.type), static_cast<int>(r.op),
                      buffer_text(labels(), comm, r.send_memory, r.send, bytes),
                      buffer_text(labels(), comm, r.recv_memory, r.recv, bytes), request_in_text(request_in));
      out = made ? fmt::format(R"("req":"{}")", labels().add_request(*request, comm, 1).label)
                 : R"("req":null)";
    }
    call.finish(std::move(args), std::move(out), result,
                result == ns_success && !made ? Poll::kNothing : Poll::kNo);
    return result;
  }

  ns_result iflush(void* comm, void* data, int bytes, void* memory, void** request) override {
    Trace::Call call(*trace_, "collnet", "iflush");
    const void* request_in = *request;
    const ns_result result = collnet_->iflush(comm, data, bytes, memory, request);
    std::string args;
    std::string out = R"("req":null)";
    {
      const auto lock = trace_->lock_labels();
      args = fmt::format(R"("cc":"{}","buf":{},"request_in":{})", labels().of("k", comm),
                         buffer_text(labels(), comm, memory, data, static_cast<size_t>(bytes)),
                         request_in_text(request_in));
      if (result == ns_success && *request != nullptr) {
        out = fmt::format(R"("req":"{}")", labels().add_flush(*request).label);
      }
    }
    call.finish(std::move(args), std::move(out), result);
    return result;
  }

  ns_result test(void* request, int* done, int* size) override {
    Trace::Call call(*trace_, "collnet", "test");
    const ns_result result = collnet_->test(request, done, size);
    traced_test(*trace_, call, request, *done, size, result);
    return result;
  }

  ns_result close(void* comm) override {
    Trace::Call call(*trace_, "collnet", "closeColl");
    const ns_result result = collnet_->close(comm);
    std::string args;
    std::string out;
    {
      const auto lock = trace_->lock_labels();
      const Labels::Usage used = labels().usage(comm);
      args = fmt::format(R"("cc":"{}")", labels().of("k", comm));
      out = fmt::format(R"("ops":{},"max_outstanding":{})", used.operations, used.most_outstanding);
      labels().forget_usage(comm);
      labels().forget("k", comm);
    }
    call.finish(std::move(args), std::move(out), result);
    return result;
  }

  ns_result close_listen(void* listener) override {
    Trace::Call call(*trace_, "collnet", "closeListen");
    const ns_result result = collnet_->close_listen(listener);
    call.finish(fmt::format(R"("lc":"{}")", label("kl", listener)), "", result);
    return result;
  }

 private:
  Labels& labels() { return trace_->labels(); }

  std::string label(std::string_view kind, const void* object) {
    const auto lock = trace_->lock_labels();
    return labels().of(kind, object);
  }

  std::shared_ptr<CollNet> collnet_;
  std::shared_ptr<Trace> trace_;
  int rank_;
  std::string context_;
};

}  // namespace

std::shared_ptr<CollNet> make_traced_collnet(std::shared_ptr<CollNet> collnet, std::shared_ptr<Trace> trace,
                                             int rank) {
  return std::make_shared<TracedCollNet>(std::move(collnet), std::move(trace), rank);
}

}  // namespace netsense::engine
