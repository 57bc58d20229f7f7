#include "tools/engine/device/channel.h"

#include <algorithm>
#include <cstring>

#include "tools/engine/device/backoff.h"
#include "tools/engine/device/programs.h"
#include "tools/engine/plan/arithmetic.h"

namespace netsense::engine {
namespace {

void copy_part(const CollWork& work) {
  const size_t element = ns_type_size(work.type);
  const size_t offset = work.part.offset * element;
  const auto* from = static_cast<const std::byte*>(work.send) + offset;
  auto* to = static_cast<std::byte*>(work.recv) + offset;
  if (from != to) std::memcpy(to, from, work.part.count * element);
}

}  // namespace

bool Channel::run(const std::vector<Batch>& batches, const std::atomic<bool>& abort) {
  for (const Batch& batch : batches) {
    if (const auto* p2ps = std::get_if<std::vector<P2pWork>>(&batch)) {
      if (!run_p2ps(*p2ps, abort)) return false;
      continue;
    }
    for (const CollWork& work : std::get<std::vector<CollWork>>(batch)) {
      if (!run_coll(work, abort)) return false;
    }
  }
  return true;
}

bool Channel::run_coll(const CollWork& work, const std::atomic<bool>& abort) {
  if (shape_.ranks == 1) {
    copy_part(work);
    return true;
  }
  std::vector<Group> groups;
  for (ProgramWithPeers& part : programs_for(shape_, channel_, work)) {
    GroupSetup setup;
    setup.program = std::move(part.program);
    if (!connect(part.peers, setup)) return false;
    setup.arithmetic = arithmetic_for(work.type, work.op, shape_.ranks);
    setup.input = static_cast<const std::byte*>(work.send);
    setup.output = static_cast<std::byte*>(work.recv);
    setup.protocol = work.protocol;
    setup.step_bytes = settings_.buffer_bytes[static_cast<size_t>(Protocol::kSimple)] / kSteps;
    setup.slice_steps = work.slice_steps;
    setup.slices_per_chunk = work.slices_per_chunk;
    groups.emplace_back(std::move(setup));
  }
  return run_groups(groups, abort);
}

bool Channel::run_p2ps(const std::vector<P2pWork>& works, const std::atomic<bool>& abort) {
  std::vector<Group> groups;
  for (const P2pWork& work : works) {
    if (work.send.peer == shape_.rank) {
      const size_t bytes = std::min(work.send.bytes, work.recv.bytes);
      if (bytes > 0) std::memcpy(work.recv.address, work.send.address, bytes);
      continue;
    }
    if (!add_half(work.send, true, groups) || !add_half(work.recv, false, groups)) return false;
  }
  return run_groups(groups, abort);
}

bool Channel::add_half(const P2pHalf& half, bool send, std::vector<Group>& groups) const {
  if (half.peer == kNoPeer) return true;
  Repeat chunks;
  chunks.call.source = send ? Source::kInput : Source::kNone;
  chunks.call.send = send;
  chunks.call.recv = chunks.call.store = !send;
  chunks.end = half.bytes;
  chunks.chunk = chunks.stride = half.chunk_bytes;
  chunks.calls = std::max<size_t>(1, div_up(half.bytes, half.chunk_bytes));
  GroupSetup setup;
  setup.program = repeat(chunks);
  Peers peers;
  (send ? peers.send : peers.recv).push_back(half.peer);
  peers.index = 1;
  if (!connect(peers, setup)) return false;
  setup.arithmetic = arithmetic_for(ns_int8, ns_sum, shape_.ranks);
  setup.input = setup.output = half.address;
  setup.protocol = half.protocol;
  setup.step_bytes = settings_.p2p_chunk_bytes;
  groups.emplace_back(std::move(setup));
  return true;
}

bool Channel::connect(const Peers& peers, GroupSetup& setup) const {
  for (const int peer : peers.recv) setup.recv.push_back(lookup_({channel_, peer, false, peers.index}));
  for (const int peer : peers.send) setup.send.push_back(lookup_({channel_, peer, true, peers.index}));
  const auto found = [](const ConnectionFifo* fifo) { return fifo != nullptr; };
  return std::ranges::all_of(setup.recv, found) && std::ranges::all_of(setup.send, found);
}

bool Channel::run_groups(std::vector<Group>& groups, const std::atomic<bool>& abort) {
  Backoff backoff;
  while (!groups.empty()) {
    if (abort.load(std::memory_order_relaxed)) return false;
    bool moved = false;
    for (size_t i = 0; i < groups.size();) {
      const Group::Progress progress = groups[i].poll();
      if (progress == Group::Progress::kAborted) return false;
      moved = moved || progress != Group::Progress::kBlocked;
      if (progress == Group::Progress::kFinished) {
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    if (moved) {
      backoff.reset();
    } else {
      backoff.wait();
    }
  }
  return true;
}

}  // namespace netsense::engine
