#include <fmt/format.h>

#include <map>

#include "tools/engine/trace/traced_plugins.h"

namespace netsense::engine {
namespace {

const char* event_name(uint64_t type) {
  switch (type) {
    case kEventGroup:
      return "Group";
    case kEventColl:
      return "Coll";
    case kEventP2p:
      return "P2p";
    case kEventProxyOp:
      return "ProxyOp";
    case kEventProxyStep:
      return "ProxyStep";
    case kEventProxyCtrl:
      return "ProxyCtrl";
    case kEventNetPlugin:
      return "NetPlugin";
    case kEventGroupApi:
      return "GroupApi";
    case kEventCollApi:
      return "CollApi";
    case kEventP2pApi:
      return "P2pApi";
    case kEventKernelLaunch:
      return "KernelLaunch";
    default:
      return "unknown";
  }
}

const char* state_name(EventState state) {
  switch (state) {
    case EventState::kProxyStepSendGpuWait:
      return "SendGPUWait";
    case EventState::kProxyStepSendWait:
      return "SendWait";
    case EventState::kProxyStepRecvWait:
      return "RecvWait";
    case EventState::kProxyStepRecvFlushWait:
      return "RecvFlushWait";
    case EventState::kProxyStepRecvGpuWait:
      return "RecvGPUWait";
    case EventState::kProxyCtrlIdle:
      return "ProxyCtrlIdle";
    case EventState::kProxyCtrlActive:
      return "ProxyCtrlActive";
    case EventState::kProxyCtrlSleep:
      return "ProxyCtrlSleep";
    case EventState::kProxyCtrlWakeup:
      return "ProxyCtrlWakeup";
    case EventState::kProxyCtrlAppend:
      return "ProxyCtrlAppend";
    case EventState::kProxyCtrlAppendEnd:
      return "ProxyCtrlAppendEnd";
    case EventState::kProxyOpInProgress:
      return "ProxyOpInProgress";
    case EventState::kProxyStepSendPeerWait:
      return "SendPeerWait";
    case EventState::kNetPluginUpdate:
      return "NetPluginUpdate";
    case EventState::kGroupStartApiStop:
      return "GroupStartApiStop";
    case EventState::kGroupEndApiStart:
      return "GroupEndApiStart";
  }
  return "unknown";
}

class TracedProfiler final : public Profiler {
 public:
  TracedProfiler(std::shared_ptr<Profiler> profiler, std::shared_ptr<Trace> trace)
      : profiler_(std::move(profiler)), trace_(std::move(trace)) {}

  [[nodiscard]] const char* name() const override { return profiler_->name(); }

  ns_result init(const ProfilerInit& init, void** context, int* mask) override {
    Trace::Call call(*trace_, "prof", "init");
    const ns_result result = profiler_->init(init, context, mask);
    std::string args;
    {
      const auto lock = trace_->lock_labels();
      args = fmt::format(R"("commId":"{}","commName":{},"nNodes":{},"nranks":{},"rank":{})",
                         trace_->labels().of_number("comm", init.comm_id),
                         init.comm_name == nullptr ? "null" : fmt::format(R"("{}")", init.comm_name),
                         init.nodes, init.ranks, init.rank);
      context_ = trace_->labels().make("pc", *context);
    }
    call.finish(std::move(args), fmt::format(R"("ctx":"{}","mask":{})", context_, *mask), result);
    return result;
  }

  ns_result finalize(void* context) override {
    Trace::Call call(*trace_, "prof", "finalize");
    const ns_result result = profiler_->finalize(context);
    call.finish(fmt::format(R"("ctx":"{}")", context_), "", result);
    return result;
  }

  ns_result start(void* context, void** event, const EventDescriptor& descriptor) override {
    Trace::Call call(*trace_, "prof", "startEvent");
    const ns_result result = profiler_->start(context, event, descriptor);
    std::string args;
    std::string out;
    {
      const auto lock = trace_->lock_labels();
      args = fmt::format(R"("ctx":"{}","type":"{}","parent":{},"rank":{}{})", context_,
                         event_name(descriptor.type), event_label(descriptor.parent), descriptor.rank,
                         details(descriptor));
      events_[*event] = {trace_->labels().make("p", *event), event_name(descriptor.type)};
      out = fmt::format(R"("h":{})", event_label(*event));
    }
    call.finish(std::move(args), std::move(out), result);
    return result;
  }

  ns_result stop(void* event) override {
    Trace::Call call(*trace_, "prof", "stopEvent");
    std::string args;
    {
      const auto lock = trace_->lock_labels();
      args = fmt::format(R"("h":{},"type":"{}")", event_label(event), events_[event].type);
    }
    const ns_result result = profiler_->stop(event);
    call.finish(std::move(args), "", result);
    return result;
  }

  ns_result record(void* event, EventState state, const EventUpdate* update) override {
    Trace::Call call(*trace_, "prof", "recordEventState");
    const ns_result result = profiler_->record(event, state, update);
    std::string args;
    {
      const auto lock = trace_->lock_labels();
      const std::string type = events_[event].type;
      args = fmt::format(R"("h":{},"type":"{}","state":"{}","args":{})", event_label(event), type,
                         state_name(state), update == nullptr ? "null" : R"("given")");
      if (update != nullptr && type == "ProxyStep")
        args += fmt::format(R"(,"transSize":{})", update->transferred);
      if (update != nullptr && type == "ProxyCtrl")
        args += fmt::format(R"(,"appendedProxyOps":{})", update->appended);
    }
    call.finish(std::move(args), "", result);
    return result;
  }

 private:
  struct Event {
    std::string label;
    std::string type;
  };

  // With the labels locked.
  std::string event_label(const void* event) {
    if (event == nullptr) return "null";
    const auto found = events_.find(event);
    return fmt::format(R"("{}")", found == events_.end() ? "unknown" : found->second.label);
  }

  std::string buffer(const void* data) {
    return data == nullptr ? "null" : '"' + trace_->labels().of("b", data) + '"';
  }

  std::string details(const EventDescriptor& d) {
    switch (d.type) {
      case kEventGroupApi:
        return fmt::format(R"(,"graphCaptured":0,"groupDepth":{})", d.group_depth);
      case kEventCollApi:
        return fmt::format(R"(,"func":"{}","count":{},"datatype":"{}","root":{},"graphCaptured":0)",
                           d.function, d.count, d.datatype, d.root);
      case kEventP2pApi:
        return fmt::format(R"(,"func":"{}","count":{},"datatype":"{}","graphCaptured":0)", d.function,
                           d.count, d.datatype);
      case kEventColl:
        return fmt::format(
            R"(,"func":"{}","count":{},"datatype":"{}","root":{},"seqNumber":{},"nChannels":{},)"
            R"("nWarps":{},"algo":"{}","proto":"{}","parentGroup":{},"sendBuff":{},"recvBuff":{})",
            d.function, d.count, d.datatype, d.root, d.sequence, d.channels, d.warps, d.algorithm, d.protocol,
            event_label(d.parent_group), buffer(d.send_buffer), buffer(d.recv_buffer));
      case kEventP2p:
        return fmt::format(
            R"(,"func":"{}","count":{},"datatype":"{}","peer":{},"nChannels":{},"parentGroup":{},)"
            R"("buff":{})",
            d.function, d.count, d.datatype, d.peer, d.channels, event_label(d.parent_group),
            buffer(d.recv_buffer));
      case kEventProxyOp:
        return fmt::format(R"(,"pid":"self","channelId":{},"peer":{},"nSteps":{},"chunkSize":{},"isSend":{})",
                           d.channel, d.peer, d.steps, d.chunk_bytes, d.is_send ? 1 : 0);
      case kEventProxyStep:
        return fmt::format(R"(,"step":{})", d.step);
      case kEventNetPlugin:
        return fmt::format(R"(,"id":{},"data":{})", d.plugin_id,
                           d.plugin_data == nullptr ? "null" : R"("given")");
      default:
        return {};
    }
  }

  std::shared_ptr<Profiler> profiler_;
  std::shared_ptr<Trace> trace_;
  std::string context_;
  std::map<const void*, Event> events_;  // guarded by the labels' lock
};

}  // namespace

std::shared_ptr<Profiler> make_traced_profiler(std::shared_ptr<Profiler> profiler,
                                               std::shared_ptr<Trace> trace) {
  return std::make_shared<TracedProfiler>(std::move(profiler), std::move(trace));
}

}  // namespace netsense::engine
