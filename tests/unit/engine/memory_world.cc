#include "tests/unit/engine/memory_world.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "tools/engine/plan/arithmetic.h"

namespace netsense::engine {
namespace {

constexpr size_t kHalfLine = 8;  // bytes: LL data and its flag

uint64_t load(const std::byte* at) {
  return __atomic_load_n(reinterpret_cast<const uint64_t*>(at), __ATOMIC_ACQUIRE);
}

// Messages arrive in order and never with a flag before its data.
void copy_half_lines(const std::byte* from, std::byte* to, size_t bytes) {
  for (size_t i = 0; i < bytes; i += kHalfLine) {
    __atomic_store_n(reinterpret_cast<uint64_t*>(to + i), load(from + i), __ATOMIC_RELEASE);
  }
}

void demand_none(const std::string& error) {
  if (!error.empty()) throw std::runtime_error(error);
}

}  // namespace

MemoryWorld::MemoryWorld(int ranks, const WorldOptions& options) : options_(options) {
  CostInputs inputs;
  inputs.ranks = ranks;
  inputs.collnet = options.collnet;
  for (auto& type : inputs.collnet_reduces) type.fill(options.collnet);
  std::string error;
  if (parse_choices(options.algo, options.proto, inputs.choices, error) != ns_success)
    throw std::runtime_error(error);
  for (int rank = 0; rank < ranks; ++rank) {
    auto made = std::make_unique<Rank>();
    made->shape = make_shape(ranks, rank, options.channels);
    inputs.channels = static_cast<int>(made->shape.channels.size());
    made->device = std::make_unique<Device>(
        made->shape, options.settings, [this, rank](const ConnectionId& id) { return &end(rank, id).fifo; });
    ranks_.push_back(std::move(made));
  }
  costs_ = std::make_unique<CostModel>(inputs);
}

MemoryWorld::~MemoryWorld() = default;

MemoryWorld::End& MemoryWorld::end(int rank, const ConnectionId& id) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<End>& entry = ends_[{rank, id.channel, id.peer, id.send, id.index}];
  if (entry) return *entry;
  entry = std::make_unique<End>();
  const auto& sizes = options_.settings.buffer_bytes;
  entry->memory.resize(sizes[0] + sizes[2] + 64);
  std::byte* begin = entry->memory.data();
  begin += 64 - reinterpret_cast<uintptr_t>(begin) % 64;
  ConnectionFifo& fifo = entry->fifo;
  fifo.buffers = {begin, nullptr, begin + sizes[0]};
  fifo.buffer_bytes = {sizes[0], 0, sizes[2]};
  fifo.shared_pool = id.index == 1 || id.peer == static_cast<int>(ranks_.size());
  if (fifo.shared_pool && id.send) fifo.head.store(uint64_t{0} - kSteps);
  return *entry;
}

std::shared_ptr<const Plan> MemoryWorld::plan(int rank, const Tasks& tasks, std::string& error) {
  Rank& of = *ranks_[static_cast<size_t>(rank)];
  PlanResult result = make_plan(of.shape, options_.settings, *costs_, {}, tasks.colls, tasks.p2ps, of.counts);
  error = result.error;
  return std::make_shared<const Plan>(std::move(result.plan));
}

std::string MemoryWorld::queue(int rank, const Plan& plan) {
  for (const ProxyOp& op : plan.proxy_ops) {
    End& at = end(rank, {op.channel, op.peer, op.send, op.connection_index});
    if (at.done != at.until &&
        (at.steps != static_cast<uint64_t>(op.slice_steps) || at.protocol != op.protocol)) {
      return "a connection has operations of different protocols at once: run them apart";
    }
    // As NCCL's proxy: an operation begins at a whole chunk, wherever the one before it ended.
    if (at.done == at.until) at.done = at.until = align_up(at.until, static_cast<uint64_t>(op.chunk_steps));
    at.until += static_cast<uint64_t>(op.nsteps);
    at.steps = static_cast<uint64_t>(op.slice_steps);
    at.protocol = op.protocol;
    if (op.algorithm == Algorithm::kCollNetChain) {
      collnet_arithmetic_ = arithmetic_for(op.type, op.op, static_cast<int>(ranks_.size()));
    }
  }
  return {};
}

void MemoryWorld::run(const std::vector<Tasks>& tasks) {
  messages_.clear();
  std::vector<std::shared_ptr<const Plan>> plans;
  std::string error;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    plans.push_back(plan(static_cast<int>(rank), tasks[rank], error));
    demand_none(error);
    error = queue(static_cast<int>(rank), *plans.back());
    demand_none(error);
  }
  for (size_t rank = 0; rank < ranks_.size(); ++rank)
    ranks_[rank]->ticket = ranks_[rank]->device->launch(plans[rank]);
  auto last_move = std::chrono::steady_clock::now();
  while (!all_finished()) {
    if (move_all(error)) {
      last_move = std::chrono::steady_clock::now();
    } else {
      std::this_thread::yield();
    }
    demand_none(error);
    if (std::chrono::steady_clock::now() - last_move > std::chrono::minutes(1))
      throw std::runtime_error("nothing moves any more");
  }
}

// Empty LL messages may still be under way when the device has finished: it does not wait for their data.
bool MemoryWorld::all_finished() {
  const std::lock_guard lock(mutex_);
  const bool moved =
      std::ranges::all_of(ends_, [](const auto& end) { return end.second->done == end.second->until; });
  return moved &&
         std::ranges::all_of(ranks_, [](const auto& rank) { return rank->device->finished(rank->ticket); });
}

bool MemoryWorld::move_all(std::string& error) {
  bool moved = false;
  std::vector<std::pair<Key, End*>> senders;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, at] : ends_) {
      if (std::get<3>(key)) senders.emplace_back(key, at.get());
    }
  }
  for (auto& [key, sender] : senders) {
    if (sender->done == sender->until) continue;
    if (sender->fifo.shared_pool) give_credit(*sender);
    const bool collnet = std::get<2>(key) == static_cast<int>(ranks_.size());
    moved = (collnet ? move_collnet(std::get<1>(key), error) : move(key, *sender, error)) || moved;
  }
  return moved;
}

// In a pool the device learns where a step goes before it may fill it.
void MemoryWorld::give_credit(End& end) {
  while (end.posted < end.until && end.posted < end.done + kSteps) {
    const size_t slot = end.posted % kSteps;
    const size_t slot_bytes = end.fifo.buffer_bytes[2] / kSteps;
    end.fifo.slots[slot].offset.store(static_cast<int64_t>((kSteps - 1 - slot) * slot_bytes),
                                      std::memory_order_release);
    ++end.posted;
    end.fifo.head.store(end.posted - kSteps, std::memory_order_release);
  }
}

bool MemoryWorld::ready(const End& sender) {
  const int64_t bytes = sender.fifo.slots[sender.done % kSteps].bytes.load(std::memory_order_acquire);
  if (bytes < 0) return false;
  if (sender.protocol != Protocol::kLL) return sender.fifo.tail.load(std::memory_order_acquire) > sender.done;
  const std::byte* lines =
      sender.fifo.buffers[0] + sender.done % kSteps * (sender.fifo.buffer_bytes[0] / kSteps);
  for (size_t i = 0; i < static_cast<size_t>(bytes); i += kHalfLine) {
    if (load(lines + i) >> 32 != static_cast<uint32_t>(sender.done + 1)) return false;
  }
  return true;
}

bool MemoryWorld::has_room(const End& receiver) {
  return receiver.done + receiver.steps <= receiver.fifo.head.load(std::memory_order_acquire) + kSteps;
}

std::byte* MemoryWorld::data(End& end) {
  const size_t slot = end.done % kSteps;
  const auto kind = static_cast<size_t>(end.protocol);
  std::byte* buffer = end.fifo.buffers[kind];
  if (end.fifo.shared_pool && end.protocol == Protocol::kSimple) {
    return buffer + end.fifo.slots[slot].offset.load(std::memory_order_acquire);
  }
  return buffer + slot * (end.fifo.buffer_bytes[kind] / kSteps);
}

void MemoryWorld::finish_send(End& sender) {
  sender.fifo.slots[sender.done % kSteps].bytes.store(-1, std::memory_order_release);
  sender.done += sender.steps;
  if (!sender.fifo.shared_pool) sender.fifo.head.store(sender.done, std::memory_order_release);
}

void MemoryWorld::finish_recv(End& receiver) {
  receiver.done += receiver.steps;
  receiver.fifo.tail.store(receiver.done, std::memory_order_release);
}

bool MemoryWorld::move(const Key& key, End& sender, std::string& error) {
  const auto [rank, channel, peer, send, index] = key;
  if (!ready(sender)) return false;
  End& receiver = end(peer, {channel, rank, false, index});
  if (receiver.done == receiver.until || receiver.steps != sender.steps ||
      receiver.protocol != sender.protocol) {
    error = "the receiver does not expect this message";
    return false;
  }
  if (!has_room(receiver)) return false;
  const auto bytes = static_cast<size_t>(sender.fifo.slots[sender.done % kSteps].bytes.load());
  const auto kind = static_cast<size_t>(sender.protocol);
  if (bytes > sender.steps * (sender.fifo.buffer_bytes[kind] / kSteps)) {
    error = "a message is larger than its steps";
    return false;
  }
  if (receiver.fifo.shared_pool) {
    const size_t slot = receiver.done % kSteps;
    const size_t offset = slot * (receiver.fifo.buffer_bytes[2] / kSteps);
    receiver.fifo.slots[slot].offset.store(static_cast<int64_t>(offset), std::memory_order_release);
  }
  if (sender.protocol == Protocol::kLL) {
    copy_half_lines(data(sender), data(receiver), bytes);
  } else {
    std::memcpy(data(receiver), data(sender), bytes);
  }
  messages_[{rank, channel, peer}].push_back(bytes);
  finish_send(sender);
  finish_recv(receiver);
  return true;
}

// The network reduces once every rank has given its part.
bool MemoryWorld::move_collnet(int channel, std::string& error) {
  const int network = static_cast<int>(ranks_.size());
  std::vector<std::byte> result;
  for (int rank = 0; rank < network; ++rank) {
    End& sender = end(rank, {channel, network, true, 1});
    if (sender.done == sender.until || !ready(sender)) return false;
    if (!has_room(end(rank, {channel, network, false, 0}))) return false;
  }
  for (int rank = 0; rank < network; ++rank) {
    End& sender = end(rank, {channel, network, true, 1});
    const auto bytes = static_cast<size_t>(sender.fifo.slots[sender.done % kSteps].bytes.load());
    if (rank == 0) {
      result.assign(data(sender), data(sender) + bytes);
    } else if (bytes != result.size()) {
      error = "ranks give CollNet different sizes";
      return false;
    } else {
      collnet_arithmetic_.reduce(result.data(), data(sender), bytes / collnet_arithmetic_.element);
    }
    messages_[{rank, channel, network}].push_back(bytes);
    finish_send(sender);
  }
  for (int rank = 0; rank < network; ++rank) {
    End& receiver = end(rank, {channel, network, false, 0});
    const size_t slot = receiver.done % kSteps;
    receiver.fifo.slots[slot].offset.store(
        static_cast<int64_t>(slot * (receiver.fifo.buffer_bytes[2] / kSteps)));
    std::ranges::copy(result, data(receiver));
    finish_recv(receiver);
  }
  return true;
}

std::vector<size_t> MemoryWorld::messages(int rank, int channel, int peer) const {
  const auto found = messages_.find({rank, channel, peer});
  return found == messages_.end() ? std::vector<size_t>{} : found->second;
}

}  // namespace netsense::engine
