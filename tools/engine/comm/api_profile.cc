#include "tools/engine/comm/api_profile.h"

#include <array>

namespace netsense::engine {
namespace {

constexpr int kProxyMask = kEventProxyOp | kEventProxyStep | kEventKernelChannel | kEventNetPlugin;
constexpr int kGroupMask = kEventGroup | kEventColl | kEventP2p | kProxyMask;
constexpr int kGroupApiMask = kEventGroupApi | kEventP2pApi | kEventCollApi | kEventKernelLaunch | kGroupMask;
constexpr int kCollApiMask = kEventCollApi | kEventColl | kProxyMask;
constexpr int kP2pApiMask = kEventP2pApi | kEventP2p | kProxyMask;

const char* function_name(Function function) {
  static constexpr std::array<const char*, 9> kNames{"Broadcast",     "Reduce",    "AllGather",
                                                     "ReduceScatter", "AllReduce", "SendRecv",
                                                     "Send",          "Recv",      "AlltoAll"};
  return kNames[static_cast<size_t>(function)];
}

const char* algorithm_name(Algorithm algorithm) {
  static constexpr std::array<const char*, kAlgorithms> kNames{
      "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
  return kNames[static_cast<size_t>(algorithm)];
}

const char* protocol_name(Protocol protocol) {
  static constexpr std::array<const char*, kProtocols> kNames{"LL", "LL128", "SIMPLE"};
  return kNames[static_cast<size_t>(protocol)];
}

// NCCL turns what only moves data into bytes before it plans.
bool planned_as_bytes(Function function) {
  return function == Function::kAllGather || function == Function::kBroadcast;
}

}  // namespace

const char* type_name(ns_type type) {
  static constexpr std::array<const char*, ns_num_types> kNames{
      "ncclInt8",    "ncclUint8",   "ncclInt32",   "ncclUint32",   "ncclInt64",      "ncclUint64",
      "ncclFloat16", "ncclFloat32", "ncclFloat64", "ncclBfloat16", "ncclFloat8e4m3", "ncclFloat8e5m2"};
  return kNames[static_cast<size_t>(type)];
}

void* ApiProfile::start(const EventDescriptor& event) const {
  void* handle = nullptr;
  target_.profiler->start(target_.context, &handle, event);
  return handle;
}

void* ApiProfile::call(const ApiCall& call, int group_depth) {
  const int mask = target_.active();
  if ((mask & kGroupApiMask) != 0 && group_api_ == nullptr) {
    EventDescriptor event;
    event.type = kEventGroupApi;
    event.group_depth = group_depth;
    group_api_ = start(event);
    if (group_api_ != nullptr) target_.profiler->record(group_api_, EventState::kGroupStartApiStop, nullptr);
  }
  if ((mask & (call.p2p ? kP2pApiMask : kCollApiMask)) == 0) return nullptr;
  EventDescriptor event;
  event.type = call.p2p ? kEventP2pApi : kEventCollApi;
  event.parent = group_api_;
  event.function = call.function;
  event.count = call.count;
  event.datatype = type_name(call.type);
  event.root = call.root;
  void* handle = start(event);
  stop(handle);
  return handle;
}

void ApiProfile::group_end_begins() {
  if (group_api_ != nullptr) target_.profiler->record(group_api_, EventState::kGroupEndApiStart, nullptr);
}

void ApiProfile::group_end() {
  stop(group_api_);
  group_api_ = nullptr;
}

void* ApiProfile::start_coll(const PlannedColl& coll, const CalledTask& call, void* group) {
  EventDescriptor event;
  event.type = kEventColl;
  event.parent = call.event;
  event.rank = target_.rank;
  event.sequence = sequence_[coll.task.function];
  event.function = function_name(coll.task.function);
  event.send_buffer = coll.task.send;
  event.recv_buffer = coll.task.recv;
  const bool bytes = planned_as_bytes(coll.task.function);
  event.count = bytes ? coll.task.count * ns_type_size(coll.task.type) : coll.task.count;
  event.datatype = type_name(bytes ? ns_int8 : coll.task.type);
  event.root = coll.task.root;
  event.channels = static_cast<uint8_t>(coll.channels);
  event.warps = static_cast<uint8_t>(coll.warps);
  event.algorithm = algorithm_name(coll.algorithm);
  event.protocol = protocol_name(coll.protocol);
  event.parent_group = group;
  return start(event);
}

void* ApiProfile::start_p2p(const PlannedP2p& p2p, const CalledTask& call, void* group) const {
  EventDescriptor event;
  event.type = kEventP2p;
  event.parent = call.event;
  event.rank = target_.rank;
  event.function = p2p.task.send ? "Send" : "Recv";
  event.recv_buffer = p2p.task.buffer;
  event.count = call.count;
  event.datatype = type_name(call.type);
  event.peer = p2p.task.peer;
  event.channels = static_cast<uint8_t>(p2p.channels);
  event.parent_group = group;
  return start(event);
}

std::map<uint64_t, void*> ApiProfile::launch(const Plan& plan, const std::map<uint64_t, CalledTask>& calls) {
  std::map<uint64_t, void*> events;
  const int mask = target_.active();
  if ((mask & kEventKernelLaunch) != 0) {
    EventDescriptor event;
    event.type = kEventKernelLaunch;
    event.parent = group_api_;
    stop(start(event));
  }
  void* group = nullptr;
  if ((mask & kGroupMask) != 0) {
    EventDescriptor event;
    event.type = kEventGroup;
    group = start(event);
  }
  const auto call_of = [&calls](uint64_t id) {
    const auto found = calls.find(id);
    return found == calls.end() ? CalledTask{} : found->second;
  };
  std::vector<void*> started;
  for (const PlannedColl& coll : plan.colls) {
    if ((mask & (kEventColl | kProxyMask)) != 0) {
      started.push_back(events[coll.task.id] = start_coll(coll, call_of(coll.task.id), group));
    }
    ++sequence_[coll.task.function];
  }
  for (const PlannedP2p& p2p : plan.p2ps) {
    if ((mask & (kEventP2p | kProxyMask)) == 0) continue;
    started.push_back(events[p2p.task.id] = start_p2p(p2p, call_of(p2p.task.id), group));
  }
  for (void* event : started) stop(event);
  stop(group);
  return events;
}

void ApiProfile::stop(void* event) const {
  if (event != nullptr) target_.profiler->stop(event);
}

}  // namespace netsense::engine
