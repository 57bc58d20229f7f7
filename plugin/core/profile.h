// What NCCL's profiler events say about the data of a transfer. A network is told neither data type nor
// collective; a profiler is, and an event of the profiler comes with every transfer since net v10.
//
// There is no store of events. NCCL never looks into an event's handle, so the handle itself carries what is
// known: nothing to allocate, to run out of, to lock or to free, and a handle that is late, foreign or of
// another process can be judged without following it. Only what does not fit, which collective it is, stands
// in a table (collectives.h), and the handle has its place there.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "plugin/core/collectives.h"

namespace netsense::core {

inline constexpr int kUnknownTraffic = -1;

struct TrafficInfo {
  int data_type = kUnknownTraffic;  // ncclDataType_t
  int function = kUnknownTraffic;   // ncclFunc_t
  bool operator==(const TrafficInfo&) const = default;
};

// Bits of NCCL's activation mask and types of events.
inline constexpr uint64_t kProfileColl = 1U << 1;
inline constexpr uint64_t kProfileP2p = 1U << 2;
inline constexpr uint64_t kProfileProxyOp = 1U << 3;
inline constexpr uint64_t kProfileProxyStep = 1U << 4;

// All functions may be called by any thread. None fails: without memory, or with arguments that make no
// sense, there is no information.
class Profile {
 public:
  // mask: NCCL's, which it reads at any time; kept until the last close of a context with it. Null: none.
  // comm_id: NCCL's number of the communicator; 0: not told.
  void* open(int* mask, uint64_t comm_id = 0) noexcept;
  void close(void* context) noexcept;

  // Counted: events are asked of NCCL while there are more calls with true than with false.
  void want(bool wanted) noexcept;

  // Event handles; null: no event. A parent may be anything.
  [[nodiscard]] void* start_task(TrafficInfo info) const noexcept;
  // The same for one that a collective network carries out. context: as open() returned it.
  // collective.comm_id may be 0 where the context knows it.
  [[nodiscard]] void* start_collective(const void* context, const Collective& collective) noexcept;
  struct ProxyOp {
    const void* parent = nullptr;
    pid_t parent_process = 0;  // whose events the parent belongs to
    uint8_t channel = 0;
    uint32_t steps = 0;
  };
  // On the thread that moves the operation's data.
  [[nodiscard]] void* start_proxy_op(const ProxyOp& op) const noexcept;
  [[nodiscard]] void* start_proxy_step(const void* parent) const noexcept;

  // phandle: what NCCL gives to isend and irecv: null, or an address that holds a handle. Nothing while
  // nobody wants it, for events from before that, and for events of another profiler.
  [[nodiscard]] std::optional<TrafficInfo> traffic_of(const void* phandle) const noexcept;

  // For a call of a collective network by this thread: of which collective it is a part (coll_operations.h).
  [[nodiscard]] CollectiveCall next_call(uint64_t comm_id, int data_type) const noexcept;

 private:
  struct Context {
    int* mask;
    uint64_t comm_id;
  };

  Collectives collectives_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Context>> contexts_;
  int wanted_ = 0;                      // guarded by mutex_
  uint8_t last_generation_ = 0;         // guarded by mutex_
  std::atomic<uint8_t> generation_{0};  // 0: nobody wants it
};

// The profile of the process, which the exported profiler tables fill.
Profile& profile();

// For transports: see Profile.
std::optional<TrafficInfo> traffic_of(const void* phandle) noexcept;
void want_traffic_info(bool wanted) noexcept;

// ncclDataType_t and ncclFunc_t from the names by which NCCL tells them since profiler v2; kUnknownTraffic
// for null and for what NCCL has no name for (uint8, AllGatherV).
int data_type_from_name(const char* name) noexcept;
int function_from_name(const char* name) noexcept;

}  // namespace netsense::core
