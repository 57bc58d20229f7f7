// Ranks in one process: real plans and device threads, joined by memory instead of a network. Moves steps
// between the fifos as NCCL's proxy would, and keeps the size of every message.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "tools/engine/device/device.h"
#include "tools/engine/device/reduce.h"

namespace netsense::engine {

struct WorldOptions {
  std::string algo;
  std::string proto;
  ChannelLimits channels;
  PlanSettings settings;
  bool collnet = false;
};

class MemoryWorld {
 public:
  struct Tasks {
    std::vector<CollTask> colls;
    std::vector<P2pTask> p2ps;
  };

  explicit MemoryWorld(int ranks, const WorldOptions& options = {});
  ~MemoryWorld();

  // One group of calls per rank, until all of them are done. Throws std::runtime_error that says what went
  // wrong.
  void run(const std::vector<Tasks>& tasks);

  // Bytes of the messages that rank sent on channel to peer in the last run.
  std::vector<size_t> messages(int rank, int channel, int peer) const;
  // For tests of giving up.
  Device& device(int rank) { return *ranks_[static_cast<size_t>(rank)]->device; }
  std::shared_ptr<const Plan> plan(int rank, const Tasks& tasks, std::string& error);

 private:
  struct End {
    ConnectionFifo fifo;
    std::vector<std::byte> memory;
    uint64_t posted = 0;  // of a pool: steps the device may use
    uint64_t done = 0;    // steps moved
    uint64_t until = 0;   // steps that operations ask for
    uint64_t steps = 1;   // per message
    Protocol protocol = Protocol::kSimple;
  };
  struct Rank {
    CommShape shape;
    OpCounts counts;
    std::unique_ptr<Device> device;
    uint64_t ticket = 0;
  };
  using Key = std::tuple<int, int, int, bool, int>;  // rank, channel, peer, send, index

  End& end(int rank, const ConnectionId& id);
  std::string queue(int rank, const Plan& plan);
  bool move_all(std::string& error);
  bool move(const Key& key, End& sender, std::string& error);
  bool move_collnet(int channel, std::string& error);
  static bool ready(const End& sender);
  static bool has_room(const End& receiver);
  static std::byte* data(End& end);
  static void give_credit(End& end);
  static void finish_send(End& sender);
  static void finish_recv(End& receiver);
  bool all_finished();

  WorldOptions options_;
  std::unique_ptr<CostModel> costs_;
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<End>> ends_;
  std::map<std::tuple<int, int, int>, std::vector<size_t>> messages_;
  Arithmetic collnet_arithmetic_{};
  std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace netsense::engine
