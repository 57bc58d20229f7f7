// The profiler events of the proxy, in NCCL's order. All do nothing unless the operation was queued with the
// mask of an active profiler.
#pragma once

#include "plugin/abi/common.h"
#include "tools/engine/loader/profiler.h"
#include "tools/engine/proxy/op.h"

namespace netsense::engine {

// Where events of one communicator go; `profiler` is null when there is none.
struct ProfilerTarget {
  Profiler* profiler = nullptr;
  void* context = nullptr;
  const int* mask = nullptr;  // the plugin may change it at any time
  int rank = 0;

  [[nodiscard]] int active() const {
    return profiler == nullptr ? 0 : __atomic_load_n(mask, __ATOMIC_RELAXED);
  }
};

class ProxyProfile {
 public:
  explicit ProxyProfile(const ProfilerTarget& target) : target_(target) {}

  void start_op(const ProxyArgs& args, ProxySub& sub) const;
  void op_in_progress(const ProxySub& sub) const;
  void stop_op(ProxySub& sub) const;

  void start_step(const ProxyArgs& args, ProxySub& sub, uint64_t step) const;
  void step_state(const ProxyArgs& args, const ProxySub& sub, uint64_t step, EventState state) const;
  void stop_step(const ProxyArgs& args, ProxySub& sub, uint64_t step) const;

  // ProxyCtrl events tell what the progress thread itself does.
  void* start_ctrl() const;
  void ctrl_state(void* event, EventState state, int appended = 0) const;
  void stop_ctrl(void* event) const;

  [[nodiscard]] const ProfilerTarget& target() const { return target_; }

 private:
  ProfilerTarget target_;
};

// While it lives, events that plugins stop or update through the callback go to this profiler; the newest one
// counts.
class CallbackProfiler {
 public:
  explicit CallbackProfiler(Profiler* profiler);
  ~CallbackProfiler();
  CallbackProfiler(const CallbackProfiler&) = delete;
  CallbackProfiler& operator=(const CallbackProfiler&) = delete;

 private:
  Profiler* profiler_;
};

// What net plugins get as profFunction: phandle leads to the step's event.
abi::Result profiler_callback(void** event, int type, void* phandle, int64_t plugin_id, void* data);

}  // namespace netsense::engine
