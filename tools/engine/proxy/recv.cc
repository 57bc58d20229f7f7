#include <algorithm>
#include <utility>

#include "tools/engine/proxy/transfer.h"

namespace netsense::engine {
namespace {

class Receiver {
 public:
  Receiver(TransferContext& context, ProxyArgs& args)
      : context_(context), args_(args), depth_(posting_depth(args)) {}

  void begin() {
    group_by_comm();
    for (int i = 0; i < args_.nsubs; ++i) {
      ProxySub& sub = args_.subs[static_cast<size_t>(i)];
      claim_steps(args_, sub);
      sub.posted = sub.received = sub.transmitted = sub.done = 0;
      context_.profile.op_in_progress(sub);
    }
    args_.state = ArgsState::kProgress;
  }

  // One kind of work per round, as in NCCL: what comes first is done for all groups, the rest waits.
  ns_result advance() {
    ns_result result = for_each_group(&Receiver::post);
    if (result != ns_success || !args_.idle) return result;
    result = for_each_group(&Receiver::test);
    if (result != ns_success || !args_.idle) return result;
    result = for_each_group(&Receiver::deliver);
    if (result != ns_success || !args_.idle) return result;
    for (int i = 0; i < args_.nsubs; ++i) retire(args_.subs[static_cast<size_t>(i)]);
    if (args_.done == args_.nsubs) {
      args_.state = ArgsState::kNone;
      for (int i = 0; i < args_.nsubs; ++i) context_.profile.stop_op(args_.subs[static_cast<size_t>(i)]);
    }
    return ns_success;
  }

 private:
  // Operations on one plugin comm become neighbours, in groups of at most as many as the plugin takes at
  // once.
  void group_by_comm() {
    int group = 0;
    for (int i = 0; i < args_.nsubs; ++i) {
      ProxySub& sub = args_.subs[static_cast<size_t>(i)];
      if (i > 0) {
        const Connection& before = *args_.subs[static_cast<size_t>(i - 1)].connection;
        const auto same =
            std::find_if(args_.subs.begin() + i, args_.subs.begin() + args_.nsubs,
                         [&](const ProxySub& other) { return other.connection->comm == before.comm; });
        if (group == before.max_recvs || same == args_.subs.begin() + args_.nsubs) {
          group = 0;
        } else if (&*same != &sub) {
          std::swap(sub, *same);
        }
      }
      ++group;
      for (int back = 0; back < group; ++back) args_.subs[static_cast<size_t>(i - back)].group_size = group;
    }
  }

  ns_result for_each_group(ns_result (Receiver::*work)(int)) {
    for (int place = 0; place < args_.nsubs; place += args_.subs[static_cast<size_t>(place)].group_size) {
      const ns_result result = (this->*work)(place);
      if (result != ns_success) return result;
    }
    return ns_success;
  }

  void* place_for_step(ProxySub& sub, int place, size_t& bytes) {
    Connection& connection = *sub.connection;
    std::byte* buffer = connection.buffers[args_.proto()];
    FifoSlot& slot = connection.fifo.slots[(sub.base + sub.posted) % kSteps];
    if (args_.protocol == Protocol::kSimple && connection.shared) {
      const size_t offset = pool_offset(context_, args_, sub, place, depth_);
      slot.offset.store(static_cast<int64_t>(offset), std::memory_order_release);
      bytes = context_.p2p_chunk_bytes;
      return buffer + offset;
    }
    const size_t step_bytes = connection.buffer_bytes[args_.proto()] / kSteps;
    bytes = step_bytes * args_.slice_steps;
    return buffer + (sub.base + sub.posted) % kSteps * step_bytes;
  }

  ns_result post(int place) {
    ProxySub* group = &args_.subs[static_cast<size_t>(place)];
    std::array<void*, kMaxSubs> data;
    std::array<size_t, kMaxSubs> bytes;
    std::array<int, kMaxSubs> tags;
    std::array<void*, kMaxSubs> memory;
    std::array<void*, kMaxSubs> phandles;
    int count = 0;
    for (int i = 0; i < group->group_size; ++i) {
      ProxySub& sub = group[i];
      if (sub.posted >= sub.nsteps) continue;
      if (sub.posted >= sub.done + static_cast<uint64_t>(depth_)) return ns_success;
      context_.profile.start_step(args_, sub, sub.posted);
      const auto at = static_cast<size_t>(count++);
      data[at] = place_for_step(sub, place + i, bytes[at]);
      bytes[at] = std::min(bytes[at], sub.nbytes);
      tags[at] = sub.connection->id.peer;
      memory[at] = sub.connection->registrations[args_.proto()];
      phandles[at] = &sub.step_handles[args_.message(sub.posted) % kSteps];
    }
    if (count == 0) return ns_success;
    if (!told_) context_.attributes.tell_transfer(args_);
    told_ = true;
    void*& request = group->requests[group->posted % kSteps];
    const bool flagged = args_.protocol != Protocol::kSimple && count == 1;
    if (flagged && context_.completion_optional) request = kCompletionOptional;
    const ns_result result = context_.net.irecv(
        group->connection->comm,
        {count, data.data(), bytes.data(), tags.data(), memory.data(), phandles.data()}, &request);
    if (result != ns_success || request == nullptr) return result;
    for (int i = 0; i < group->group_size; ++i) {
      const uint64_t step = group[i].posted;
      group[i].posted += args_.slice_steps;
      context_.profile.step_state(args_, group[i], step, EventState::kProxyStepRecvWait);
    }
    args_.idle = false;
    return ns_success;
  }

  ns_result test(int place) {
    ProxySub* group = &args_.subs[static_cast<size_t>(place)];
    if (group->posted <= group->received) return ns_success;
    const uint64_t step = group->received;
    int done = 0;
    std::array<int, kMaxSubs> sizes{};
    void*& request = group->requests[step % kSteps];
    ns_result result = context_.net.test(request, &done, sizes.data());
    if (result != ns_success || done == 0) return result;
    bool flush = false;
    int64_t total = 0;
    for (int i = 0; i < group->group_size; ++i) {
      ProxySub& sub = group[i];
      const uint64_t received = sub.received;
      sub.connection->fifo.slots[(sub.base + received) % kSteps].bytes.store(-1, std::memory_order_release);
      sub.transferred = static_cast<size_t>(sizes[static_cast<size_t>(i)]);
      total += sizes[static_cast<size_t>(i)];
      sub.received += args_.slice_steps;
      context_.profile.step_state(args_, sub, received, EventState::kProxyStepRecvFlushWait);
      flush |= step < sub.nsteps && sub.connection->gpu_direct && sub.connection->need_flush;
    }
    request = nullptr;
    args_.idle = false;
    if (flush && total > 0 && args_.protocol == Protocol::kSimple) {
      result = start_flush(group, step, sizes.data(), &request);
    }
    return result;
  }

  ns_result start_flush(ProxySub* group, uint64_t step, int* sizes, void** request) {
    std::array<void*, kMaxSubs> data;
    std::array<void*, kMaxSubs> memory;
    int count = 0;
    for (int i = 0; i < group->group_size; ++i) {
      const ProxySub& sub = group[i];
      if (step >= sub.nsteps) continue;
      const Connection& connection = *sub.connection;
      const uint64_t slot = (sub.base + step) % kSteps;
      std::byte* buffer = connection.buffers[args_.proto()];
      const size_t offset =
          connection.shared
              ? static_cast<size_t>(connection.fifo.slots[slot].offset.load(std::memory_order_acquire))
              : slot * (connection.buffer_bytes[args_.proto()] / kSteps);
      data[static_cast<size_t>(count)] = buffer + offset;
      memory[static_cast<size_t>(count++)] = connection.registrations[args_.proto()];
    }
    return context_.net.iflush(group->connection->comm, count, data.data(), sizes, memory.data(), request);
  }

  ns_result deliver(int place) {
    ProxySub* group = &args_.subs[static_cast<size_t>(place)];
    if (group->received <= group->transmitted) return ns_success;
    const uint64_t step = group->transmitted;
    int done = 1;
    void* request = group->requests[step % kSteps];
    if (request != nullptr) {
      const ns_result result = context_.net.test(request, &done, nullptr);
      if (result != ns_success) return result;
    }
    if (done == 0) return ns_success;
    for (int i = 0; i < group->group_size; ++i) {
      ProxySub& sub = group[i];
      const uint64_t delivered = sub.transmitted;
      sub.transmitted += args_.slice_steps;
      context_.profile.step_state(args_, sub, delivered, EventState::kProxyStepRecvGpuWait);
      if (step < sub.nsteps) {
        sub.connection->fifo.tail.store(sub.base + sub.transmitted, std::memory_order_release);
      }
    }
    args_.idle = false;
    return ns_success;
  }

  // The device has consumed steps. LL may acknowledge empty messages before they come, so no further than
  // delivered.
  void retire(ProxySub& sub) {
    if (sub.done == sub.nsteps || sub.transmitted <= sub.done) return;
    const uint64_t head = sub.connection->fifo.head.load(std::memory_order_acquire);
    while (head > sub.base + sub.done && sub.transmitted > sub.done) {
      const uint64_t step = sub.done;
      sub.done += args_.slice_steps;
      context_.profile.stop_step(args_, sub, step);
      args_.idle = false;
      if (sub.done != sub.nsteps) continue;
      ++args_.done;
      break;
    }
  }

  TransferContext& context_;
  ProxyArgs& args_;
  int depth_;
  bool told_ = false;
};

}  // namespace

ns_result progress_recv(TransferContext& context, ProxyArgs& args) {
  Receiver receiver(context, args);
  if (args.state == ArgsState::kReady) receiver.begin();
  args.idle = true;
  return receiver.advance();
}

}  // namespace netsense::engine
