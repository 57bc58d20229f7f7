#include <dlfcn.h>
#include <unistd.h>

#include "plugin/abi/profiler_v5.h"
#include "tools/engine/base/logger.h"
#include "tools/engine/loader/profiler.h"

namespace netsense::engine {
namespace {

abi::ProfilerEventV5 to_event(const EventDescriptor& ours) {
  abi::ProfilerEventV5 event{};
  event.type = ours.type;
  event.parent = ours.parent;
  event.rank = ours.rank;
  switch (ours.type) {
    case kEventGroupApi:
      event.group_api = {false, ours.group_depth};
      break;
    case kEventCollApi:
      event.coll_api = {ours.function, ours.count, ours.datatype, ours.root, nullptr, false};
      break;
    case kEventP2pApi:
      event.p2p_api = {ours.function, ours.count, ours.datatype, nullptr, false};
      break;
    case kEventColl:
      event.coll = {ours.sequence, ours.function,  ours.send_buffer, ours.recv_buffer,
                    ours.count,    ours.root,      ours.datatype,    ours.channels,
                    ours.warps,    ours.algorithm, ours.protocol,    ours.parent_group};
      break;
    case kEventP2p:
      event.p2p = {ours.function, ours.recv_buffer, ours.datatype,    ours.count,
                   ours.peer,     ours.channels,    ours.parent_group};
      break;
    case kEventProxyOp:
      event.proxy_op = {getpid(),   ours.channel,     ours.peer,
                        ours.steps, ours.chunk_bytes, ours.is_send ? 1 : 0};
      break;
    case kEventProxyStep:
      event.proxy_step = {ours.step};
      break;
    case kEventNetPlugin:
      event.net_plugin = {ours.plugin_id, ours.plugin_data};
      break;
    default:  // Group, ProxyCtrl and KernelLaunch say nothing more
      break;
  }
  return event;
}

class ProfilerAdapter final : public Profiler {
 public:
  explicit ProfilerAdapter(abi::ProfilerV5* table) : table_(table) {}

  [[nodiscard]] const char* name() const override { return table_->name; }

  ns_result init(const ProfilerInit& init, void** context, int* mask) override {
    return static_cast<ns_result>(table_->init(context, init.comm_id, mask, init.comm_name, init.nodes,
                                               init.ranks, init.rank, &ns_engine_log));
  }
  ns_result finalize(void* context) override { return static_cast<ns_result>(table_->finalize(context)); }

  ns_result start(void* context, void** event, const EventDescriptor& descriptor) override {
    abi::ProfilerEventV5 theirs = to_event(descriptor);
    return static_cast<ns_result>(table_->start_event(context, event, &theirs));
  }
  ns_result stop(void* event) override { return static_cast<ns_result>(table_->stop_event(event)); }

  ns_result record(void* event, EventState state, const EventUpdate* update) override {
    abi::ProfilerStateArgsV5 arguments{};
    if (update != nullptr) {
      switch (state) {
        case EventState::kNetPluginUpdate:
          arguments.net_plugin.data = update->plugin_data;
          break;
        case EventState::kProxyCtrlAppendEnd:
          arguments.proxy_ctrl.appended_ops = update->appended;
          break;
        default:
          arguments.proxy_step.bytes = update->transferred;
          break;
      }
    }
    return static_cast<ns_result>(table_->record_event_state(event, static_cast<abi::ProfilerState>(state),
                                                             update == nullptr ? nullptr : &arguments));
  }

 private:
  abi::ProfilerV5* table_;
};

}  // namespace

std::shared_ptr<Profiler> find_profiler(void* library) {
  auto* table = static_cast<abi::ProfilerV5*>(dlsym(library, "ncclProfiler_v5"));
  if (table == nullptr) return nullptr;
  log_info(kLogInit, "PROFILER/Plugin: Loaded {} (v5)", table->name);
  return std::make_shared<ProfilerAdapter>(table);
}

}  // namespace netsense::engine
