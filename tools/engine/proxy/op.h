// Operations as the progress thread works on them. One ProxyArgs is one operation of one connection; for
// send/recv it gathers those of one channel and direction that belong together ("subs"), so that receives can
// be grouped. Objects are reused without being cleared: what stays in `requests` is what a plugin finds in
// *request on entry.
#pragma once

#include <array>
#include <cstdint>

#include "tools/engine/fifo.h"
#include "tools/engine/plan/plan.h"
#include "tools/engine/proxy/connection.h"

namespace netsense::engine {

inline constexpr int kMaxSubs = 16;      // operations in one ProxyArgs
inline constexpr int kSharedSteps = 16;  // NCCL_SHARED_STEPS: slots per channel in the send/recv pool

struct ProxySub;
struct ProfilerTarget;

// What `phandle` points to.
struct StepHandle {
  void* event = nullptr;  // the ProxyStep event
  ProxySub* sub = nullptr;
};

// What the profiler is to be told about an operation.
struct OpProfile {
  int mask = 0;                // event types that were active when the operation was queued
  void* task_event = nullptr;  // the Coll or P2p event
};

// One entry of the queue from the caller to the progress thread.
struct QueuedOp {
  ProxyOp op;
  Connection* connection = nullptr;
  OpProfile profile;
};

struct ProxySub {
  Connection* connection = nullptr;
  const ProfilerTarget* target = nullptr;  // whom to tell of events, never null while in use
  int channel = 0;
  int peer = 0;
  uint64_t nsteps = 0;
  size_t nbytes = 0;
  int group_size = 1;
  uint64_t base = 0;
  uint64_t posted = 0;
  uint64_t received = 0;
  uint64_t flushed = 0;  // CollNet only
  uint64_t transmitted = 0;
  uint64_t done = 0;
  std::array<void*, kSteps> requests{};

  OpProfile profile;
  void* op_event = nullptr;
  std::array<StepHandle, kSteps> step_handles{};
  size_t transferred = 0;
};

enum class ArgsState : uint8_t { kNone, kReady, kProgress };

struct ProxyArgs {
  std::array<ProxySub, kMaxSubs> subs;
  int nsubs = 0;
  int done = 0;  // subs that are finished
  bool send = false;
  bool collnet = false;
  bool idle = false;
  ArgsState state = ArgsState::kNone;
  uint64_t op_count = 0;
  uint64_t slice_steps = 1;
  uint64_t chunk_steps = 1;
  size_t chunk_bytes = 0;
  Protocol protocol = Protocol::kSimple;
  Algorithm algorithm = Algorithm::kRing;
  Function function = Function::kAllReduce;
  ns_type type = ns_int8;
  ns_op op = ns_sum;
  int channels = 1;
  int peers = 1;

  ProxyArgs* next = nullptr;       // in the list of what is active, or of what is free
  ProxyArgs* next_peer = nullptr;  // waits until this one is finished
  ProxyArgs** append_to = nullptr;

  [[nodiscard]] size_t proto() const { return static_cast<size_t>(protocol); }
  // Number of the message that step belongs to.
  [[nodiscard]] uint64_t message(uint64_t step) const { return (step + slice_steps - 1) / slice_steps; }
};

}  // namespace netsense::engine
