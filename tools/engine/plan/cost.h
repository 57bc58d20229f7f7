// NCCL's model of how long an operation takes, per algorithm and protocol (src/graph/tuning.cc), and the
// grammar of NCCL_ALGO and NCCL_PROTO that switches entries off.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/engine/fifo.h"
#include "tools/engine/ns_engine.h"

namespace netsense::engine {

enum class Function : uint8_t {  // ncclFunc_t
  kBroadcast = 0,
  kReduce = 1,
  kAllGather = 2,
  kReduceScatter = 3,
  kAllReduce = 4,
  kSendRecv = 5,
  kSend = 6,
  kRecv = 7,
  kAllToAll = 8,
};
inline constexpr int kCollFunctions = 5;

enum class Algorithm : uint8_t {  // NCCL_ALGO_*
  kTree = 0,
  kRing = 1,
  kCollNetDirect = 2,
  kCollNetChain = 3,
  kNvls = 4,
  kNvlsTree = 5,
  kPat = 6,
};
inline constexpr int kAlgorithms = 7;

// Microseconds; kCostIgnore where NCCL does not offer the pair.
using CostTable = std::array<std::array<float, kProtocols>, kAlgorithms>;
inline constexpr float kCostIgnore = -1.0F;

// By function, what NCCL_ALGO and NCCL_PROTO leave on.
struct Choices {
  std::array<std::array<bool, kAlgorithms>, kCollFunctions> algorithms;
  std::array<std::array<bool, kProtocols>, kCollFunctions> protocols;
};

// Parses values of NCCL_ALGO and NCCL_PROTO ("" for unset). On a bad one returns ns_invalid_usage and sets
// error.
ns_result parse_choices(std::string_view algo, std::string_view proto, Choices& choices, std::string& error);

struct CostInputs {
  int ranks = 1;
  int channels = 2;
  double bandwidth = 12.0;  // GB/s between two nodes, over all channels; NCCL's figure for 100 Gbit/s
  double net_latency = 0;   // microseconds, the plugin's `latency`
  bool collnet = false;     // NCCL_COLLNET_ENABLE and a working CollNet plugin
  // What every rank's CollNet plugin reduces, as reduceSupport says.
  std::array<std::array<bool, ns_num_ops>, ns_num_types> collnet_reduces{};
  Choices choices;
};

class CostModel {
 public:
  explicit CostModel(const CostInputs& inputs);
  // pipe_ops: operations that follow each other on a channel. All entries are as NCCL would tell a tuner
  // plugin.
  CostTable table(Function function, size_t bytes, int pipe_ops, ns_type type, ns_op op) const;

 private:
  float time(Function function, size_t algorithm, size_t protocol, size_t bytes, int pipe_ops) const;

  CostInputs inputs_;
  std::array<CostTable, kCollFunctions> latency_;    // microseconds
  std::array<CostTable, kCollFunctions> bandwidth_;  // GB/s, 0: off
};

}  // namespace netsense::engine
