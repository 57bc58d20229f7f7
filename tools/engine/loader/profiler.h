// A profiler plugin as the engine uses it: events with what NCCL 2.28 tells about each (profiler v5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tools/engine/ns_engine.h"

namespace netsense::engine {

enum EventType : uint64_t {  // bits of the activation mask
  kEventGroup = 1U << 0,
  kEventColl = 1U << 1,
  kEventP2p = 1U << 2,
  kEventProxyOp = 1U << 3,
  kEventProxyStep = 1U << 4,
  kEventProxyCtrl = 1U << 5,
  kEventKernelChannel = 1U << 6,
  kEventNetPlugin = 1U << 7,
  kEventGroupApi = 1U << 8,
  kEventCollApi = 1U << 9,
  kEventP2pApi = 1U << 10,
  kEventKernelLaunch = 1U << 11,
};

enum class EventState : int {
  kProxyStepSendGpuWait = 8,
  kProxyStepSendWait = 9,
  kProxyStepRecvWait = 10,
  kProxyStepRecvFlushWait = 11,
  kProxyStepRecvGpuWait = 12,
  kProxyCtrlIdle = 13,
  kProxyCtrlActive = 14,
  kProxyCtrlSleep = 15,
  kProxyCtrlWakeup = 16,
  kProxyCtrlAppend = 17,
  kProxyCtrlAppendEnd = 18,
  kProxyOpInProgress = 19,
  kProxyStepSendPeerWait = 20,
  kNetPluginUpdate = 21,
  kGroupStartApiStop = 23,
  kGroupEndApiStart = 24,
};

// Only the fields of the event's type count.
struct EventDescriptor {
  uint64_t type = 0;
  void* parent = nullptr;
  int rank = 0;
  // API events, collectives, send/recv
  const char* function = "";
  const char* datatype = "";
  size_t count = 0;
  int root = 0;
  int peer = 0;
  int group_depth = 0;
  uint64_t sequence = 0;
  const void* send_buffer = nullptr;
  void* recv_buffer = nullptr;
  uint8_t channels = 0;
  uint8_t warps = 0;
  const char* algorithm = "";
  const char* protocol = "";
  void* parent_group = nullptr;
  // proxy events
  uint8_t channel = 0;
  int steps = 0;
  int chunk_bytes = 0;
  bool is_send = false;
  int step = 0;
  // NetPlugin
  int64_t plugin_id = 0;
  void* plugin_data = nullptr;
};

// What goes with a change of state; which field counts depends on the event's type.
struct EventUpdate {
  size_t transferred = 0;
  int appended = 0;
  void* plugin_data = nullptr;
};

struct ProfilerInit {
  uint64_t comm_id = 0;
  const char* comm_name = nullptr;
  int nodes = 0;
  int ranks = 0;
  int rank = 0;
};

class Profiler {
 public:
  Profiler() = default;
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;
  virtual ~Profiler() = default;

  [[nodiscard]] virtual const char* name() const = 0;
  virtual ns_result init(const ProfilerInit& init, void** context, int* mask) = 0;
  virtual ns_result finalize(void* context) = 0;
  virtual ns_result start(void* context, void** event, const EventDescriptor& descriptor) = 0;
  virtual ns_result stop(void* event) = 0;
  virtual ns_result record(void* event, EventState state, const EventUpdate* update) = 0;
};

// ncclProfiler_v5 of a loaded library, which must outlive the result; null when there is none.
std::shared_ptr<Profiler> find_profiler(void* library);

}  // namespace netsense::engine
