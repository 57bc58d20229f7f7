#include <cstring>

#include "tools/engine/proxy/transfer.h"

namespace netsense::engine {
namespace {

// 16 bytes of LL: two times 4 bytes of data and their flag.
struct LowLatencyLine {
  uint32_t data1;
  uint32_t flag1;
  uint32_t data2;
  uint32_t flag2;
};

// Reads what the device stored in one piece, data and flag, so that the flag's arrival orders the data too.
uint32_t flag_at(const uint32_t* data) {
  return static_cast<uint32_t>(__atomic_load_n(reinterpret_cast<const uint64_t*>(data), __ATOMIC_ACQUIRE) >>
                               32);
}

bool low_latency_ready(const std::byte* data, size_t bytes, uint64_t step) {
  const auto flag = static_cast<uint32_t>(step + 1);
  const auto* lines = reinterpret_cast<const LowLatencyLine*>(data);
  const size_t count = (bytes + sizeof(LowLatencyLine) - 1) / sizeof(LowLatencyLine);
  for (size_t i = 0; i < count; ++i) {
    if (flag_at(&lines[i].data1) != flag || flag_at(&lines[i].data2) != flag) return false;
  }
  return true;
}

class Sender {
 public:
  Sender(TransferContext& context, ProxyArgs& args)
      : context_(context), args_(args), depth_(posting_depth(args)) {}

  void begin() {
    for (int i = 0; i < args_.nsubs; ++i) {
      ProxySub& sub = args_.subs[static_cast<size_t>(i)];
      claim_steps(args_, sub);
      sub.posted = sub.transmitted = sub.done = 0;
      context_.profile.op_in_progress(sub);
    }
    args_.state = ArgsState::kProgress;
  }

  // At most one thing per sub and round, as in NCCL.
  ns_result advance(int place) {
    ProxySub& sub = args_.subs[static_cast<size_t>(place)];
    if (sub.done == sub.nsteps) return ns_success;
    if (sub.posted < sub.nsteps && sub.posted < sub.done + static_cast<uint64_t>(depth_)) {
      give_credit(sub, place);
      args_.idle = false;
      return ns_success;
    }
    if (sub.transmitted < sub.posted && sub.transmitted < sub.done + kSteps) {
      bool sent = false;
      const ns_result result = try_send(sub, sent);
      if (result != ns_success || sent) return result;
    }
    return sub.done < sub.transmitted ? try_complete(sub) : ns_success;
  }

  void end() {
    if (args_.done != args_.nsubs) return;
    for (int i = 0; i < args_.nsubs; ++i) context_.profile.stop_op(args_.subs[static_cast<size_t>(i)]);
    args_.state = ArgsState::kNone;
  }

 private:
  void give_credit(ProxySub& sub, int place) {
    const uint64_t step = sub.posted;
    context_.profile.start_step(args_, sub, step);
    Connection& connection = *sub.connection;
    if (connection.shared) {
      FifoSlot& slot = connection.fifo.slots[(sub.base + step) % kSteps];
      slot.offset.store(static_cast<int64_t>(pool_offset(context_, args_, sub, place, depth_)),
                        std::memory_order_release);
      sub.posted += args_.slice_steps;
      connection.fifo.head.store(sub.base + sub.posted - kSteps, std::memory_order_release);
    } else {
      sub.posted += args_.slice_steps;
    }
    context_.profile.step_state(args_, sub, step, EventState::kProxyStepSendGpuWait);
  }

  // The device has filled the slot of the next step.
  std::byte* ready_data(const ProxySub& sub, size_t& bytes) const {
    const Connection& connection = *sub.connection;
    const uint64_t step = sub.base + sub.transmitted;
    const FifoSlot& slot = connection.fifo.slots[step % kSteps];
    const int64_t size = slot.bytes.load(std::memory_order_acquire);
    if (size < 0) return nullptr;
    const bool counted =
        args_.protocol == Protocol::kLL || connection.fifo.tail.load(std::memory_order_acquire) > step;
    if (!counted) return nullptr;
    bytes = static_cast<size_t>(size);
    std::byte* buffer = connection.buffers[args_.proto()];
    if (args_.protocol == Protocol::kSimple && connection.shared) {
      return buffer + slot.offset.load(std::memory_order_acquire);
    }
    std::byte* data = buffer + step % kSteps * (connection.buffer_bytes[args_.proto()] / kSteps);
    if (args_.protocol == Protocol::kLL && !low_latency_ready(data, bytes, step)) return nullptr;
    return data;
  }

  ns_result try_send(ProxySub& sub, bool& sent) {
    size_t bytes = 0;
    std::byte* data = ready_data(sub, bytes);
    if (data == nullptr) return ns_success;
    const uint64_t step = sub.transmitted;
    context_.profile.step_state(args_, sub, step, EventState::kProxyStepSendPeerWait);
    if (!told_) context_.attributes.tell_transfer(args_);
    told_ = true;
    void*& request = sub.requests[(sub.base + step) % kSteps];
    const ns_result result = context_.net.isend(sub.connection->comm, data, bytes, context_.rank,
                                                sub.connection->registrations[args_.proto()],
                                                &sub.step_handles[args_.message(step) % kSteps], &request);
    if (result != ns_success || request == nullptr) return result;
    sub.transferred = bytes;
    sub.transmitted += args_.slice_steps;
    context_.profile.step_state(args_, sub, step, EventState::kProxyStepSendWait);
    args_.idle = false;
    sent = true;
    return ns_success;
  }

  ns_result try_complete(ProxySub& sub) {
    const uint64_t step = sub.done;
    int done = 0;
    int bytes = 0;
    const ns_result result = context_.net.test(sub.requests[(sub.base + step) % kSteps], &done, &bytes);
    if (result != ns_success || done == 0) return result;
    ConnectionFifo& fifo = sub.connection->fifo;
    fifo.slots[(sub.base + step) % kSteps].bytes.store(-1, std::memory_order_release);
    sub.done += args_.slice_steps;
    context_.profile.stop_step(args_, sub, step);
    if (!sub.connection->shared) fifo.head.store(sub.base + sub.done, std::memory_order_release);
    args_.idle = false;
    if (sub.done == sub.nsteps) ++args_.done;
    return ns_success;
  }

  TransferContext& context_;
  ProxyArgs& args_;
  int depth_;
  bool told_ = false;
};

}  // namespace

ns_result progress_send(TransferContext& context, ProxyArgs& args) {
  Sender sender(context, args);
  if (args.state == ArgsState::kReady) sender.begin();
  args.idle = true;
  for (int place = 0; place < args.nsubs; ++place) {
    const ns_result result = sender.advance(place);
    if (result != ns_success) return result;
  }
  sender.end();
  return ns_success;
}

}  // namespace netsense::engine
