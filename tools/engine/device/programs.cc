#include "tools/engine/device/programs.h"

#include <algorithm>

#include "tools/engine/plan/arithmetic.h"

namespace netsense::engine {
namespace {

class Repeated final : public Program {
 public:
  explicit Repeated(const Repeat& repeat) : repeat_(repeat), at_(repeat.begin) {}

  bool next(Call& call) override {
    if (made_ == repeat_.calls) return false;
    ++made_;
    call = repeat_.call;
    call.source_offset = call.store_offset = at_;
    call.count = at_ < repeat_.end ? std::min(repeat_.chunk, repeat_.end - at_) : 0;
    at_ += repeat_.stride;
    return true;
  }

 private:
  Repeat repeat_;
  size_t at_;
  size_t made_ = 0;
};

std::unique_ptr<Program> over_part(const Call& call, const ChannelPart& part) {
  return repeat({call, part.offset, part.offset + part.count, part.chunk_count, part.chunk_count,
                 div_up(part.count, part.chunk_count)});
}

Call from_input() {
  Call call;
  call.source = Source::kInput;
  return call;
}

Call to_output() {
  Call call;
  call.store = true;
  return call;
}

using Programs = std::vector<ProgramWithPeers>;

void add(Programs& programs, std::unique_ptr<Program> program, std::vector<int> recv, std::vector<int> send,
         int index = 0) {
  programs.push_back({std::move(program), {std::move(recv), std::move(send), index}});
}

std::vector<int> children(const Tree& tree) {
  std::vector<int> found;
  std::ranges::copy_if(tree.down, std::back_inserter(found), [](int child) { return child != kNoPeer; });
  return found;
}

Programs tree_programs(const Tree& tree, const ChannelPart& part) {
  Programs programs;
  const std::vector<int> down = children(tree);
  Call reduce = from_input();
  reduce.recv = !down.empty();
  reduce.send = true;
  if (tree.up == kNoPeer) {
    reduce.store = reduce.final = true;
    add(programs, over_part(reduce, part), down, down);
    return programs;
  }
  add(programs, over_part(reduce, part), down, {tree.up});
  Call tell = to_output();
  tell.recv = true;
  tell.send = !down.empty();
  add(programs, over_part(tell, part), {tree.up}, down);
  return programs;
}

// A chain from the root once around, or towards it: the rank at the end does not send, the one at the start
// does not receive.
Programs broadcast_programs(const Ring& ring, const CollWork& work) {
  const bool is_root = ring.user_ranks.front() == work.root;
  Call call = is_root ? from_input() : to_output();
  call.recv = !is_root;
  call.send = ring.next != work.root;
  if (is_root) call.store = work.send != work.recv;
  Programs programs;
  add(programs, over_part(call, work.part), {ring.prev}, {ring.next});
  return programs;
}

Programs reduce_programs(const Ring& ring, const CollWork& work) {
  const bool is_root = ring.user_ranks.front() == work.root;
  Call call = from_input();
  call.recv = ring.prev != work.root;
  call.send = !is_root;
  call.store = call.final = is_root;
  Programs programs;
  add(programs, over_part(call, work.part), {ring.prev}, {ring.next});
  return programs;
}

Programs chain_programs(const Tree& chain, const CollWork& work) {
  const ChannelPart& part = work.part;
  const size_t loop = part.chunk_count * static_cast<size_t>(work.channels);
  Repeat turns{{},         part.chunk_count * static_cast<size_t>(work.channel_index),
               part.count, part.chunk_count,
               loop,       div_up(part.count, loop)};
  Programs programs;
  turns.call = from_input();
  turns.call.send = true;
  add(programs, repeat(turns), {}, {chain.up}, 1);
  turns.call = to_output();
  turns.call.recv = turns.call.final = true;
  add(programs, repeat(turns), {chain.up}, {}, 0);
  return programs;
}

Programs ring_programs(const Ring& ring, int ranks, const CollWork& work) {
  Programs programs;
  switch (work.function) {
    case Function::kBroadcast:
      return broadcast_programs(ring, work);
    case Function::kReduce:
      return reduce_programs(ring, work);
    case Function::kAllGather:
      add(programs, ring_all_gather(ring, ranks, work), {ring.prev}, {ring.next});
      break;
    case Function::kReduceScatter:
      add(programs, ring_reduce_scatter(ring, ranks, work), {ring.prev}, {ring.next});
      break;
    default:
      add(programs, ring_all_reduce(ring, ranks, work), {ring.prev}, {ring.next});
  }
  return programs;
}

}  // namespace

std::unique_ptr<Program> repeat(const Repeat& repeat) {
  return std::make_unique<Repeated>(repeat);
}

std::vector<ProgramWithPeers> programs_for(const CommShape& shape, int channel, const CollWork& work) {
  if (shape.ranks == 1) return {};
  const ChannelShape& joined = shape.channels[static_cast<size_t>(channel)];
  if (work.algorithm == Algorithm::kTree) return tree_programs(joined.tree, work.part);
  if (work.algorithm == Algorithm::kCollNetChain) return chain_programs(joined.collnet_chain, work);
  return ring_programs(joined.ring, shape.ranks, work);
}

}  // namespace netsense::engine
