#include "tools/engine/proxy/collnet_transfer.h"

#include <algorithm>

#include "tools/engine/proxy/transfer.h"

namespace netsense::engine {
namespace {

class CollNetOp {
 public:
  CollNetOp(CollNetContext& context, ProxyArgs& args) : context_(context), args_(args) {}

  void begin() {
    for (int i = 0; i < args_.nsubs; ++i) {
      ProxySub& sub = at(i);
      claim_steps(args_, sub);
      sub.posted = sub.received = sub.flushed = sub.transmitted = sub.done = 0;
      if (!args_.send) sub.requests.fill(nullptr);
    }
    args_.state = ArgsState::kProgress;
  }

  ns_result advance_send(int i) {
    ProxySub& sub = at(i);
    if (sub.posted < sub.nsteps && sub.posted < sub.done + kSteps) give_credit(sub, i);
    if (sub.received < sub.posted && sub.received < sub.done + kSteps) take_from_device(sub);
    const bool in_order =
        i == 0 ? at(args_.nsubs - 1).transmitted == sub.transmitted : sub.transmitted < at(i - 1).transmitted;
    if (in_order && sub.transmitted < sub.received) {
      if (last_of_group(i)) {
        bool started = false;
        const ns_result result = try_reduce(sub, i, started);
        if (result != ns_success || !started) return result;
      }
      sub.transmitted += args_.slice_steps;
      args_.idle = false;
      return ns_success;
    }
    return last_of_group(i) && sub.done < sub.transmitted ? try_complete(sub, i) : ns_success;
  }

  ns_result advance_recv(int i) {
    ProxySub& sub = at(i);
    const bool last = last_of_group(i);
    if (last && sub.posted < sub.done + kSteps && sub.posted < sub.nsteps) {
      turn(i, sub, sub.posted).sending = true;
      sub.posted += args_.slice_steps;
      args_.idle = false;
      return ns_success;
    }
    if (last && sub.received < sub.posted && !turn(i, sub, sub.received).sending) {
      const uint64_t step = sub.received;
      sub.received += args_.slice_steps;
      args_.idle = false;
      if (turn(i, sub, step).bytes == 0 || !context_.flush) return ns_success;
      const size_t begin = region(true, group_start(i), step);
      const size_t bytes = region(true, i + 1, step) - begin;
      return context_.collnet->iflush(context_.comm, context_.pool + begin, static_cast<int>(bytes),
                                      context_.recv_memory, &request(sub, step));
    }
    if (last && sub.flushed < sub.received) {
      const ns_result result = try_flushed(sub, i);
      if (result != ns_success) return result;
    }
    if (sub.transmitted < sub.flushed) {
      give_to_device(sub, i);
      return ns_success;
    }
    retire(sub, i);
    return ns_success;
  }

 private:
  ProxySub& at(int i) { return args_.subs[static_cast<size_t>(i)]; }
  [[nodiscard]] int group_start(int i) const { return i - i % kCollNetGroup; }
  [[nodiscard]] bool last_of_group(int i) const {
    return i % kCollNetGroup == kCollNetGroup - 1 || i == args_.nsubs - 1;
  }
  void*& request(ProxySub& sub, uint64_t step) { return sub.requests[(sub.base + step) % kSteps]; }
  CollNetContext::Turn& turn(int i, const ProxySub& sub, uint64_t step) {
    return context_.turns[static_cast<size_t>(i / kCollNetGroup)][(sub.base + step) % kSteps];
  }

  // Where the chunk of the i-th channel of a step lies in the pool.
  [[nodiscard]] size_t region(bool receiving, int i, uint64_t step) const {
    const uint64_t slot = (receiving ? kSteps : 0) + step % kSteps;
    return slot * static_cast<size_t>(context_.channels) * context_.step_bytes +
           static_cast<size_t>(i) * args_.chunk_bytes;
  }

  void give_credit(ProxySub& sub, int i) {
    ConnectionFifo& fifo = sub.connection->fifo;
    fifo.slots[(sub.base + sub.posted) % kSteps].offset.store(
        static_cast<int64_t>(region(false, i, sub.posted)), std::memory_order_release);
    sub.posted += args_.slice_steps;
    fifo.head.store(sub.base + sub.posted - kSteps, std::memory_order_release);
  }

  void take_from_device(ProxySub& sub) {
    ConnectionFifo& fifo = sub.connection->fifo;
    FifoSlot& slot = fifo.slots[(sub.base + sub.received) % kSteps];
    if (slot.bytes.load(std::memory_order_acquire) < 0) return;
    if (fifo.tail.load(std::memory_order_acquire) <= sub.base + sub.received) return;
    slot.bytes.store(-1, std::memory_order_release);
    sub.received += args_.slice_steps;
    args_.idle = false;
  }

  ns_result try_reduce(ProxySub& sub, int i, bool& started) {
    const uint64_t step = sub.transmitted;
    CollNetContext::Turn& its_turn = turn(i, sub, step);
    if (!its_turn.sending) return ns_success;
    const size_t send = region(false, group_start(i), step);
    const size_t recv = region(true, group_start(i), step);
    const size_t bytes = region(false, i + 1, step) - send;
    its_turn.bytes = bytes;
    CollNetReduction reduction;
    reduction.send = context_.pool + send;
    reduction.recv = context_.pool + recv;
    reduction.count = bytes / ns_type_size(args_.type);
    reduction.type = args_.type;
    reduction.op = args_.op;
    constexpr auto kSimple = static_cast<size_t>(Protocol::kSimple);
    reduction.send_memory = sub.connection->registrations[kSimple];
    reduction.recv_memory = context_.recv_memory;
    const ns_result result = context_.collnet->iallreduce(context_.comm, reduction, &request(sub, step));
    started = result == ns_success && request(sub, step) != nullptr;
    return result;
  }

  ns_result try_complete(ProxySub& sub, int i) {
    int done = 1;
    int size = 0;
    void*& pending = request(sub, sub.done);
    if (pending != nullptr) {
      const ns_result result = context_.collnet->test(pending, &done, &size);
      if (result != ns_success) return result;
    }
    if (done == 0) return ns_success;
    pending = nullptr;
    turn(i, sub, sub.done).sending = false;
    for (int member = group_start(i); member <= i; ++member) at(member).done += args_.slice_steps;
    args_.idle = false;
    const bool all_done = std::all_of(args_.subs.begin(), args_.subs.begin() + args_.nsubs,
                                      [](const ProxySub& other) { return other.done >= other.nsteps; });
    if (all_done) args_.state = ArgsState::kNone;
    return ns_success;
  }

  ns_result try_flushed(ProxySub& sub, int i) {
    int done = 1;
    void*& pending = request(sub, sub.flushed);
    if (pending != nullptr) {
      const ns_result result = context_.collnet->test(pending, &done, nullptr);
      if (result != ns_success) return result;
    }
    if (done == 0) return ns_success;
    pending = nullptr;
    for (int member = group_start(i); member <= i; ++member) at(member).flushed += args_.slice_steps;
    args_.idle = false;
    return ns_success;
  }

  void give_to_device(ProxySub& sub, int i) {
    ConnectionFifo& fifo = sub.connection->fifo;
    fifo.slots[(sub.base + sub.transmitted) % kSteps].offset.store(
        static_cast<int64_t>(region(true, i, sub.transmitted)), std::memory_order_release);
    fifo.tail.store(sub.base + sub.flushed, std::memory_order_release);
    sub.transmitted += args_.slice_steps;
    args_.idle = false;
  }

  // Channels retire in order, so that no buffer of a step is given out while another channel still reads its
  // part.
  void retire(ProxySub& sub, int i) {
    const bool in_order = i == 0 ? at(args_.nsubs - 1).done == sub.done : at(i - 1).done > sub.done;
    if (!in_order || sub.done >= sub.transmitted) return;
    if (sub.connection->fifo.head.load(std::memory_order_acquire) <= sub.base + sub.done) return;
    sub.done += args_.slice_steps;
    args_.idle = false;
    if (sub.done == sub.nsteps && i == args_.nsubs - 1) args_.state = ArgsState::kNone;
  }

  CollNetContext& context_;
  ProxyArgs& args_;
};

}  // namespace

ns_result progress_collnet_send(CollNetContext& context, ProxyArgs& args) {
  CollNetOp op(context, args);
  if (args.state == ArgsState::kReady) op.begin();
  args.idle = true;
  for (int i = 0; i < args.nsubs; ++i) {
    const ns_result result = op.advance_send(i);
    if (result != ns_success) return result;
  }
  return ns_success;
}

ns_result progress_collnet_recv(CollNetContext& context, ProxyArgs& args) {
  CollNetOp op(context, args);
  if (args.state == ArgsState::kReady) op.begin();
  args.idle = true;
  for (int i = 0; i < args.nsubs; ++i) {
    const ns_result result = op.advance_recv(i);
    if (result != ns_success) return result;
  }
  return ns_success;
}

}  // namespace netsense::engine
