#include "tools/engine/proxy/profile.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace netsense::engine {
namespace {

constexpr int kOpMask = kEventProxyOp | kEventProxyStep | kEventNetPlugin;
constexpr int kStepMask = kEventProxyStep | kEventNetPlugin;

// ncclProfilerNetEvent*.
enum CallbackType { kStart = 0, kStop = 1, kUpdate = 2, kUpdateAndStop = 3 };

struct CallbackProfilers {
  std::mutex mutex;
  std::vector<Profiler*> profilers;

  Profiler* newest() {
    const std::lock_guard lock(mutex);
    return profilers.empty() ? nullptr : profilers.back();
  }
};

CallbackProfilers& callback_profilers() {
  static CallbackProfilers profilers;
  return profilers;
}

abi::Result start_plugin_event(void** event, const void* phandle, int64_t plugin_id, void* data) {
  const auto* handle = static_cast<const StepHandle*>(phandle);
  const ProxySub* sub = handle == nullptr ? nullptr : handle->sub;
  if (sub == nullptr || (sub->profile.mask & kEventNetPlugin) == 0) return abi::Result::kOk;
  const ProfilerTarget& target = *sub->target;
  EventDescriptor descriptor;
  descriptor.type = kEventNetPlugin;
  descriptor.parent = handle->event;
  descriptor.rank = target.rank;
  descriptor.plugin_id = plugin_id;
  descriptor.plugin_data = data;
  return static_cast<abi::Result>(target.profiler->start(target.context, event, descriptor));
}

StepHandle& handle_of(const ProxyArgs& args, ProxySub& sub, uint64_t step) {
  return sub.step_handles[args.message(step) % kSteps];
}

}  // namespace

void ProxyProfile::start_op(const ProxyArgs& args, ProxySub& sub) const {
  if ((sub.profile.mask & kOpMask) == 0 || target_.profiler == nullptr) return;
  EventDescriptor event;
  event.type = kEventProxyOp;
  event.parent = sub.profile.task_event;
  event.rank = target_.rank;
  event.channel = static_cast<uint8_t>(sub.channel);
  event.peer = sub.peer;
  event.steps = static_cast<int>(args.message(sub.nsteps));
  event.chunk_bytes = static_cast<int>(args.chunk_bytes * args.slice_steps);
  event.is_send = args.send && !args.collnet;
  target_.profiler->start(target_.context, &sub.op_event, event);
}

void ProxyProfile::op_in_progress(const ProxySub& sub) const {
  if (sub.op_event == nullptr) return;
  const EventUpdate update;
  target_.profiler->record(sub.op_event, EventState::kProxyOpInProgress, &update);
}

void ProxyProfile::stop_op(ProxySub& sub) const {
  if (sub.op_event == nullptr) return;
  target_.profiler->stop(sub.op_event);
  sub.op_event = nullptr;
}

void ProxyProfile::start_step(const ProxyArgs& args, ProxySub& sub, uint64_t step) const {
  StepHandle& handle = handle_of(args, sub, step);
  handle.sub = &sub;
  if ((sub.profile.mask & kStepMask) == 0 || target_.profiler == nullptr) return;
  EventDescriptor event;
  event.type = kEventProxyStep;
  event.parent = sub.op_event;
  event.rank = target_.rank;
  event.step = static_cast<int>(args.message(step));
  target_.profiler->start(target_.context, &handle.event, event);
}

void ProxyProfile::step_state(const ProxyArgs& args, const ProxySub& sub, uint64_t step,
                              EventState state) const {
  if (sub.op_event == nullptr) return;
  void* event = sub.step_handles[args.message(step) % kSteps].event;
  if (event == nullptr) return;
  EventUpdate update;
  update.transferred = sub.transferred;
  target_.profiler->record(event, state, &update);
}

void ProxyProfile::stop_step(const ProxyArgs& args, ProxySub& sub, uint64_t step) const {
  StepHandle& handle = handle_of(args, sub, step);
  if (handle.event == nullptr || target_.profiler == nullptr) return;
  target_.profiler->stop(handle.event);
  handle.event = nullptr;
}

void* ProxyProfile::start_ctrl() const {
  if ((target_.active() & kEventProxyCtrl) == 0) return nullptr;
  EventDescriptor descriptor;
  descriptor.type = kEventProxyCtrl;
  void* event = nullptr;
  target_.profiler->start(target_.context, &event, descriptor);
  return event;
}

void ProxyProfile::ctrl_state(void* event, EventState state, int appended) const {
  if (event == nullptr) return;
  EventUpdate update;
  update.appended = appended;
  target_.profiler->record(event, state, &update);
}

void ProxyProfile::stop_ctrl(void* event) const {
  if (event != nullptr) target_.profiler->stop(event);
}

CallbackProfiler::CallbackProfiler(Profiler* profiler) : profiler_(profiler) {
  CallbackProfilers& all = callback_profilers();
  const std::lock_guard lock(all.mutex);
  all.profilers.push_back(profiler);
}

CallbackProfiler::~CallbackProfiler() {
  CallbackProfilers& all = callback_profilers();
  const std::lock_guard lock(all.mutex);
  all.profilers.erase(std::ranges::find(all.profilers, profiler_));
}

abi::Result profiler_callback(void** event, int type, void* phandle, int64_t plugin_id, void* data) {
  if (type == kStart) return start_plugin_event(event, phandle, plugin_id, data);
  Profiler* profiler = callback_profilers().newest();
  if (profiler == nullptr || event == nullptr || *event == nullptr) return abi::Result::kOk;
  EventUpdate update;
  update.plugin_data = data;
  ns_result result = ns_success;
  if (type == kUpdate || type == kUpdateAndStop) {
    result = profiler->record(*event, EventState::kNetPluginUpdate, &update);
  }
  if (result == ns_success && (type == kStop || type == kUpdateAndStop)) result = profiler->stop(*event);
  return static_cast<abi::Result>(result);
}

}  // namespace netsense::engine
