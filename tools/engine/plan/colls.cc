// Spreads collectives over channels so that all carry about the same traffic.
#include <algorithm>
#include <array>

#include "tools/engine/plan/arithmetic.h"
#include "tools/engine/plan/builder.h"
#include "tools/engine/plan/chunking.h"

namespace netsense::engine {
namespace {

constexpr size_t kMinTraffic = 16384;  // bytes on a channel, less is not worth another one

size_t traffic_per_byte(Function function, int ranks) {
  if (function == Function::kAllReduce) return 2;
  return function == Function::kAllGather || function == Function::kReduceScatter ? static_cast<size_t>(ranks)
                                                                                  : 1;
}

bool uses_collnet(const PlannedColl& coll) {
  return coll.algorithm == Algorithm::kCollNetChain;
}

size_t traffic_weight(const PlannedColl& coll, int ranks) {
  // LL needs four times the effort for the same bytes.
  return traffic_per_byte(coll.task.function, ranks) * (coll.protocol == Protocol::kLL ? 4 : 1);
}

// Elements on the first channel, on each one between, and on the last.
struct Split {
  int first_channel = 0;
  size_t lo = 0;
  size_t mid = 0;
  size_t hi = 0;
  int mid_channels = 0;
  [[nodiscard]] int channels() const { return 1 + mid_channels + (hi != 0 ? 1 : 0); }
};

// Hands out channels from the first to the last, each up to the same traffic.
class ChannelFiller {
 public:
  ChannelFiller(int channels, size_t traffic_per_channel)
      : channels_(channels), per_channel_(traffic_per_channel) {}

  // Counts in cells: the elements that make kMinTraffic.
  Split place(size_t count, size_t element, size_t weight) {
    const size_t cell = align_up(div_up(kMinTraffic, weight), size_t{16});
    const size_t per_cell = cell / element;
    const size_t cells = div_up(count * element, cell);
    const size_t cell_traffic = cell * weight;
    size_t mid = std::min(cells, div_up(per_channel_, cell_traffic));
    const bool last = channel_ + 1 == channels_;
    size_t lo = last ? cells : std::min(cells, div_up(per_channel_ - traffic_, cell_traffic));
    auto mid_channels = static_cast<int>((cells - lo) / mid);
    size_t hi = (cells - lo) % mid;
    if (channels_ < channel_ + (lo != 0 ? 1 : 0) + mid_channels + (hi != 0 ? 1 : 0)) {
      mid_channels = channels_ - channel_ - 2;
      const auto others = static_cast<size_t>(mid_channels) + 1;
      mid = (cells - lo) / others;
      hi = mid + (cells - lo) % others;
    }
    if (hi == 0 && mid_channels != 0) {
      hi = mid;
      --mid_channels;
    }
    if (lo == 0) {  // nothing fits on the present channel
      ++channel_;
      if (mid_channels == 0) {
        lo = hi;
        hi = 0;
      } else {
        lo = mid;
        --mid_channels;
      }
    }
    Split split{channel_, lo * per_cell, mid_channels != 0 ? mid * per_cell : 0, hi * per_cell, mid_channels};
    (split.hi != 0 ? split.hi : split.lo) -= cells * per_cell - count;
    advance(split, lo * cell_traffic, hi * cell_traffic);
    return split;
  }

 private:
  void advance(const Split& split, size_t lo_traffic, size_t hi_traffic) {
    if (split.hi != 0) {
      channel_ += split.channels() - 1;
      traffic_ = hi_traffic;
    } else if (split.mid_channels != 0) {
      channel_ += split.channels();
      traffic_ = 0;
    } else {
      traffic_ += lo_traffic;
    }
    if (traffic_ >= per_channel_ && channel_ + 1 != channels_) {
      ++channel_;
      traffic_ = 0;
    }
  }

  int channels_;
  size_t per_channel_;
  int channel_ = 0;
  size_t traffic_ = 0;
};

class CollAdder {
 public:
  explicit CollAdder(PlanBuilder& builder) : builder_(builder) {}

  void add_split(PlannedColl coll, const Split& split) {
    coll.channels = split.channels();
    coll.channel_lo = split.first_channel;
    coll.channel_hi = split.first_channel + coll.channels - 1;
    size_t offset = 0;
    for (int c = coll.channel_lo; c <= coll.channel_hi; ++c) {
      const bool last = c == coll.channel_hi && c != coll.channel_lo;
      const size_t count = c == coll.channel_lo ? split.lo : last ? split.hi : split.mid;
      const Chunking chunking = cut(coll, 1, count);
      add(coll, c, chunking, {offset, count, chunking.chunk_count});
      offset += count;
    }
    finish(coll);
  }

  // CollNet: channels take turns chunk by chunk.
  void add_interleaved(PlannedColl coll) {
    coll.channel_lo = 0;
    coll.channel_hi = coll.channels - 1;
    const Chunking chunking = cut(coll, coll.channels, coll.task.count);
    for (int c = 0; c < coll.channels; ++c)
      add(coll, c, chunking, {0, coll.task.count, chunking.chunk_count});
    finish(coll);
  }

 private:
  Chunking cut(const PlannedColl& coll, int channels, size_t count) const {
    const size_t bytes = operation_bytes(coll.task.function, builder_.shape.ranks, count, coll.task.type);
    return cut_into_chunks(builder_.shape, builder_.settings, coll, channels, bytes);
  }

  void add(const PlannedColl& coll, int channel, const Chunking& chunking, const ChannelPart& part) {
    ProxyOp op = chunking.op;
    const size_t element = ns_type_size(coll.task.type);
    op.channel = channel;
    op.channels = coll.channels;
    op.op_count = builder_.colls << 1;
    op.loop_offset = part.offset * element;
    op.channel_size = uses_collnet(coll) ? 0 : part.count * element;
    builder_.ops[static_cast<size_t>(channel)].push_back(op);

    CollWork work;
    work.function = coll.task.function;
    work.algorithm = coll.algorithm;
    work.protocol = coll.protocol;
    work.send = coll.task.send;
    work.recv = coll.task.recv;
    work.count = coll.task.count;
    work.type = coll.task.type;
    work.op = coll.task.op;
    work.root = coll.task.root;
    work.part = part;
    work.slice_steps = op.slice_steps;
    work.slices_per_chunk = chunking.slices_per_chunk;
    work.channels = coll.channels;
    work.channel_index = channel - coll.channel_lo;
    work.id = coll.task.id;
    auto& batches = builder_.plan.batches[static_cast<size_t>(channel)];
    if (batches.empty()) batches.emplace_back(std::vector<CollWork>{});
    std::get<std::vector<CollWork>>(batches.back()).push_back(work);
  }

  void finish(const PlannedColl& coll) {
    ++builder_.colls;
    builder_.plan.colls.push_back(coll);
  }

  PlanBuilder& builder_;
};

// What each channel should carry of the collectives that do, or do not, go through CollNet.
size_t traffic_per_channel(const PlanBuilder& builder, const std::vector<PlannedColl>& colls, bool collnet) {
  size_t traffic = 0;
  int channels = 0;
  for (const PlannedColl& coll : colls) {
    if (uses_collnet(coll) != collnet) continue;
    const size_t bytes = coll.task.count * ns_type_size(coll.task.type);
    traffic += std::max(kMinTraffic, bytes * traffic_weight(coll, builder.shape.ranks));
    channels = std::min(channels + coll.channels, static_cast<int>(builder.shape.channels.size()));
  }
  return std::max(kMinTraffic, traffic / static_cast<size_t>(std::max(channels, 1)));
}

}  // namespace

void add_colls(PlanBuilder& builder, std::vector<PlannedColl> colls) {
  std::ranges::stable_sort(colls, {}, uses_collnet);
  ChannelFiller filler(static_cast<int>(builder.shape.channels.size()),
                       traffic_per_channel(builder, colls, false));
  CollAdder adder(builder);
  for (PlannedColl& coll : colls) {
    if (uses_collnet(coll)) {
      adder.add_interleaved(coll);
      continue;
    }
    const Split split = filler.place(coll.task.count, ns_type_size(coll.task.type),
                                     traffic_weight(coll, builder.shape.ranks));
    adder.add_split(coll, split);
  }
}

}  // namespace netsense::engine
