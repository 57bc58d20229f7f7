// Schedules sends and receives: round by round, each cut into parts for some channels.
#include <algorithm>
#include <array>
#include <bit>
#include <deque>

#include "tools/engine/plan/arithmetic.h"
#include "tools/engine/plan/builder.h"

namespace netsense::engine {
namespace {

constexpr size_t kPartAlignment = 4096;
constexpr size_t kP2pPerBatch = 8;  // NCCL_MAX_DEV_WORK_P2P_PER_BATCH: these run at the same time

// Chunk sizes travel to the kernel with four significant bits.
size_t keep_four_bits(size_t value) {
  const int drop = std::max(static_cast<int>(std::bit_width(value)) - 4, 0);
  return value >> drop << drop;
}

// One direction of one round, cut up.
struct Side {
  const P2pTask* task = nullptr;
  Protocol protocol = Protocol::kSimple;
  size_t chunk = 0;  // bytes of payload per step
  int parts = 0;
  size_t part_bytes = 0;

  [[nodiscard]] size_t begin(int part) const {
    return std::min(static_cast<size_t>(part) * part_bytes, task->bytes);
  }
  [[nodiscard]] size_t bytes(int part) const { return begin(part + 1) - begin(part); }
};

class P2pAdder {
 public:
  explicit P2pAdder(PlanBuilder& builder)
      : builder_(builder),
        shape_(builder.shape),
        most_parts_(shape_.p2p_channels_per_peer),
        few_parts_(most_parts_) {
    while (few_parts_ * shape_.ranks > shape_.p2p_channels && few_parts_ > 1) few_parts_ /= 2;
    rounds_.resize(builder.p2p_batches.size());
  }

  void add_round(int round, const P2pTask* send, const P2pTask* recv, std::array<int, 2> tasks_in_plan) {
    const std::array<Side, 2> sides{cut(recv), cut(send)};
    const int parts = std::max(sides[0].parts, sides[1].parts);
    const int concurrent = shape_.p2p_channels / parts * static_cast<int>(kP2pPerBatch);
    const int self = shape_.rank;
    for (int part = 0; part < parts; ++part) {
      const int channel = p2p_channel_for_part(shape_, round, part);
      const uint64_t batch = add_work(channel, round, {half(sides[1], part), half(sides[0], part)});
      for (size_t direction = 0; direction < 2; ++direction) {
        const Side& side = sides[direction];
        if (part >= side.parts || side.task->peer == self) continue;
        ProxyOp op = proxy_op(side, part);
        op.channel = channel;
        op.op_count = batch << 1 | 1;
        op.peers = std::min(tasks_in_plan[direction], concurrent);
        builder_.ops[static_cast<size_t>(channel)].push_back(op);
      }
    }
    if (sides[1].task != nullptr) builder_.plan.p2ps.push_back({*sides[1].task, sides[1].parts});
    if (sides[0].task != nullptr) builder_.plan.p2ps.push_back({*sides[0].task, sides[0].parts});
  }

 private:
  Side cut(const P2pTask* task) const {
    Side side;
    side.task = task;
    if (task == nullptr) return side;
    const PlanSettings& settings = builder_.settings;
    const size_t bytes = task->bytes;
    const bool small = bytes <= static_cast<size_t>(most_parts_) * settings.p2p_ll_threshold;
    if (settings.p2p_ll_buffers && small && task->peer != shape_.rank) side.protocol = Protocol::kLL;
    const bool low_latency = side.protocol == Protocol::kLL;
    const size_t step = low_latency ? settings.buffer_bytes[0] / kSteps : settings.p2p_chunk_bytes;
    size_t chunk = step;
    if (settings.chunk_bytes != 0) {
      chunk = settings.chunk_bytes;
    } else if (task->peer != shape_.rank) {
      if (!low_latency && bytes < step) {
        chunk /= 4;
      } else if (bytes < kSteps * step) {
        chunk /= 2;
      }
    }
    side.chunk = keep_four_bits(low_latency ? chunk / 2 : chunk);
    side.parts = 1;
    if (bytes > 0) {
      const size_t least = step / 2;
      side.parts = static_cast<int>(std::min<size_t>(static_cast<size_t>(few_parts_), div_up(bytes, least)));
      size_t part = std::max(least, div_up(bytes, static_cast<size_t>(side.parts)));
      while (part > step && side.parts <= most_parts_ / 2) {
        side.parts *= 2;
        part = div_up(bytes, static_cast<size_t>(side.parts));
      }
    }
    side.part_bytes = align_up(div_up(bytes, static_cast<size_t>(side.parts)), kPartAlignment);
    return side;
  }

  static P2pHalf half(const Side& side, int part) {
    if (part >= side.parts) return {};
    P2pHalf half;
    half.peer = side.task->peer;
    half.address = static_cast<std::byte*>(side.task->buffer) + side.begin(part);
    half.bytes = side.bytes(part);
    half.chunk_bytes = side.chunk;
    half.protocol = side.protocol;
    half.id = side.task->id;
    return half;
  }

  static ProxyOp proxy_op(const Side& side, int part) {
    ProxyOp op;
    const P2pTask& task = *side.task;
    op.peer = op.root = task.peer;
    op.send = task.send;
    op.connection_index = 1;
    op.pattern = task.send ? Pattern::kSend : Pattern::kRecv;
    op.function = task.function;
    op.protocol = side.protocol;
    const size_t bytes = side.bytes(part);
    op.nsteps = std::max(1, static_cast<int>(div_up(bytes, side.chunk)));
    op.nbytes = std::min(bytes, side.chunk);
    op.chunk_size = side.chunk;
    if (side.protocol == Protocol::kLL) {
      op.nbytes = align_up(2 * op.nbytes, size_t{16});
      op.chunk_size *= 2;
    }
    op.channels = side.parts;
    op.id = task.id;
    return op;
  }

  // Returns the number of batches that the channel has by then.
  uint64_t add_work(int channel, int round, const P2pWork& work) {
    const auto c = static_cast<size_t>(channel);
    std::vector<int>& rounds = rounds_[c];
    constexpr int kEpoch = kP2pPerBatch;
    // Ranks must agree on batches: a batch never reaches into the next eight rounds nor holds a round twice.
    const bool fresh = rounds.empty() || rounds.size() == kP2pPerBatch ||
                       std::ranges::find(rounds, round) != rounds.end() ||
                       rounds.front() / kEpoch != round / kEpoch;
    auto& batches = builder_.plan.batches[c];
    if (fresh) {
      rounds.clear();
      batches.emplace_back(std::vector<P2pWork>{});
      ++builder_.p2p_batches[c];
    }
    rounds.push_back(round);
    std::get<std::vector<P2pWork>>(batches.back()).push_back(work);
    return builder_.p2p_batches[c];
  }

  PlanBuilder& builder_;
  const CommShape& shape_;
  int most_parts_;
  int few_parts_;                         // when there are enough peers to fill the channels
  std::vector<std::vector<int>> rounds_;  // by channel, of the newest batch
};

using Queue = std::deque<const P2pTask*>;

const P2pTask* take(Queue& queue) {
  if (queue.empty()) return nullptr;
  const P2pTask* task = queue.front();
  queue.pop_front();
  return task;
}

}  // namespace

ns_result add_p2ps(PlanBuilder& builder, const std::vector<P2pTask>& tasks, std::string& error) {
  const CommShape& shape = builder.shape;
  std::vector<Queue> sends(static_cast<size_t>(shape.ranks));
  std::vector<Queue> recvs(static_cast<size_t>(shape.ranks));
  std::array<int, 2> totals{};
  for (const P2pTask& task : tasks) {
    (task.send ? sends : recvs)[static_cast<size_t>(task.peer)].push_back(&task);
    ++totals[task.send ? 1 : 0];
  }
  P2pAdder adder(builder);
  for (size_t left = tasks.size(); left > 0;) {
    for (size_t round = 0; round < shape.p2p_rounds.size(); ++round) {
      const P2pRound& peers = shape.p2p_rounds[round];
      const P2pTask* send = take(sends[static_cast<size_t>(peers.send_rank)]);
      const P2pTask* recv = take(recvs[static_cast<size_t>(peers.recv_rank)]);
      left -= (send != nullptr ? 1 : 0) + (recv != nullptr ? 1 : 0);
      if (send == nullptr && recv == nullptr) continue;
      const bool self = peers.send_rank == shape.rank;
      if (self && (send == nullptr || recv == nullptr)) {
        error = send != nullptr ? "Trying to send to self without a matching recv"
                                : "Trying to recv to self without a matching send";
        return ns_invalid_usage;
      }
      if (self && send->buffer == recv->buffer) continue;  // already in place
      adder.add_round(static_cast<int>(round), send, recv, totals);
    }
  }
  return ns_success;
}

}  // namespace netsense::engine
