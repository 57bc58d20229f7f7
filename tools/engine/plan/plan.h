// What one group of operations becomes: algorithm, protocol and channels of each, the work of every channel
// for the device, and the proxy operations that carry it over the network. Pure functions that follow NCCL's
// enqueue.cc, tuning.cc and proxy.cc; numbers of enumerators are NCCL's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "tools/engine/fifo.h"
#include "tools/engine/ns_engine.h"
#include "tools/engine/plan/cost.h"
#include "tools/engine/plan/shape.h"

namespace netsense::engine {

enum class Pattern : uint8_t {  // ncclPattern_t
  kRing = 0,
  kRingTwice = 1,
  kPipelineFrom = 2,
  kPipelineTo = 3,
  kTreeUpDown = 6,
  kCollNetChain = 7,
  kSend = 13,
  kRecv = 14,
};

struct PlanSettings {
  std::array<size_t, kProtocols> buffer_bytes{524288, 4915200,
                                              4194304};  // per connection; Simple: NCCL_BUFFSIZE
  size_t p2p_chunk_bytes = 131072;  // NCCL_P2P_NET_CHUNKSIZE, at most a step of the Simple buffer
  size_t chunk_bytes = 0;           // NCCL_CHUNK_SIZE for send/recv, 0: NCCL chooses
  size_t p2p_ll_threshold = 16384;  // NCCL_P2P_LL_THRESHOLD, bytes per channel
  bool p2p_ll_buffers = false;      // NCCL_ALLOC_P2P_NET_LL_BUFFERS: send/recv connections have LL buffers
};

// One call of the user. `id` is the caller's and comes back unchanged.
struct CollTask {
  Function function = Function::kAllReduce;
  const void* send = nullptr;
  void* recv = nullptr;
  size_t count = 0;  // as in the call: per rank for all-gather (sent) and reduce-scatter (received)
  ns_type type = ns_float32;
  ns_op op = ns_sum;
  int root = 0;
  bool registered = false;  // both buffers are, for the tuner
  uint64_t id = 0;
};

struct P2pTask {
  bool send = false;
  void* buffer = nullptr;  // not written when send
  size_t bytes = 0;
  int peer = 0;
  Function function =
      Function::kSend;  // kSend, kRecv, or kAllToAll when a collective call was split into these
  uint64_t id = 0;
};

// The elements of one collective that one channel carries. For all-gather and reduce-scatter they are
// elements of each rank's share.
struct ChannelPart {
  size_t offset = 0;       // elements
  size_t count = 0;        // elements
  size_t chunk_count = 0;  // elements
};

// Work of one channel, for the device.
struct CollWork {
  Function function = Function::kAllReduce;
  Algorithm algorithm = Algorithm::kRing;
  Protocol protocol = Protocol::kSimple;
  const void* send = nullptr;
  void* recv = nullptr;
  size_t count = 0;
  ns_type type = ns_float32;
  ns_op op = ns_sum;
  int root = 0;
  ChannelPart part;
  int slice_steps = 1;  // buffer steps per message
  int slices_per_chunk = 1;
  int channels = 1;       // CollNet only: channels that take turns
  int channel_index = 0;  // CollNet only
  uint64_t id = 0;
};

struct P2pHalf {
  int peer = kNoPeer;
  std::byte* address = nullptr;  // this channel's part
  size_t bytes = 0;
  size_t chunk_bytes = 0;  // payload per step
  Protocol protocol = Protocol::kSimple;
  uint64_t id = 0;
};

// Send and receive of one round run at the same time; a half without peer is absent. Both halves naming this
// rank itself are a copy.
struct P2pWork {
  P2pHalf send;
  P2pHalf recv;
};

// Works of a batch of collectives run one after the other, those of a batch of send/recv at the same time.
using Batch = std::variant<std::vector<CollWork>, std::vector<P2pWork>>;

struct ProxyOp {
  int channel = 0;
  int peer = 0;  // the number of ranks stands for the network of CollNet
  bool send = false;
  int connection_index = 0;  // 0: collectives, 1: send/recv and CollNet's sending half
  Pattern pattern = Pattern::kRing;
  Function function = Function::kAllReduce;
  Algorithm algorithm = Algorithm::kRing;  // undefined for send/recv, as in NCCL
  Protocol protocol = Protocol::kSimple;
  ns_type type = ns_int8;
  ns_op op = ns_sum;  // avg appears as sum
  int root = 0;       // for send/recv: the peer
  size_t nbytes = 0;  // most bytes of a step's message: size to post for receives of send/recv
  int nsteps = 0;
  int slice_steps = 1;
  int chunk_steps = 1;
  size_t chunk_size = 0;    // bytes
  size_t slice_size = 0;    // bytes
  size_t loop_size = 0;     // bytes
  size_t loop_offset = 0;   // bytes
  size_t channel_size = 0;  // bytes
  uint64_t op_count = 0;    // order: collectives have bit 0 clear, send/recv set
  int channels = 1;         // channels that the operation uses
  int peers = 1;            // hint for the plugin: peers used at the same time
  uint64_t id = 0;          // the task's
};

// What NCCL tells a profiler about an operation.
struct PlannedColl {
  CollTask task;
  Algorithm algorithm = Algorithm::kRing;
  Protocol protocol = Protocol::kSimple;
  int channel_lo = 0;
  int channel_hi = 0;
  int channels = 1;
  int warps = 1;
};

struct PlannedP2p {
  P2pTask task;
  int channels = 0;
};

struct Plan {
  std::vector<PlannedColl> colls;           // in the order of the launch
  std::vector<PlannedP2p> p2ps;             // in the order of the launch
  std::vector<std::vector<Batch>> batches;  // by channel
  std::vector<ProxyOp> proxy_ops;           // in NCCL's order
};

// Where numbering of operations stands; kept by the communicator from plan to plan.
struct OpCounts {
  uint64_t colls = 0;
  std::vector<uint64_t> p2p_batches;  // by channel
};

struct TunerQuery {
  Function function = Function::kAllReduce;
  size_t bytes = 0;
  int pipe_ops = 1;
  bool registered = false;
};
// May change the table; returns the number of channels it wants, 0 for NCCL's choice.
using TunerHook = std::function<int(const TunerQuery&, CostTable&)>;

struct PlanResult {
  ns_result result = ns_success;
  std::string error;  // empty on success
  Plan plan;
};

// Everything the calls between group start and group end become.
PlanResult make_plan(const CommShape& shape, const PlanSettings& settings, const CostModel& costs,
                     const TunerHook& tuner, std::vector<CollTask> colls, const std::vector<P2pTask>& p2ps,
                     OpCounts& counts);

// Bytes of the whole operation as NCCL counts them for choices: the larger of what goes in and comes out of a
// rank.
size_t operation_bytes(Function function, int ranks, size_t count, ns_type type);

}  // namespace netsense::engine
