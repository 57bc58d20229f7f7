#include "tools/engine/proxy/progress.h"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>

#include "tools/engine/base/error.h"
#include "tools/engine/base/logger.h"
#include "tools/engine/proxy/collnet_transfer.h"
#include "tools/engine/trace/trace.h"

namespace netsense::engine {
namespace {

constexpr size_t kPoolSize = 64;
constexpr int kAppendEvery = 8;    // NCCL_PROGRESS_APPENDOP_FREQ: busy rounds between looks into the queue
constexpr int kAppendGroups = 16;  // NCCL_PROXY_APPEND_BATCH_SIZE: operations appended at once
constexpr uint64_t kYieldRounds = 4000;  // idle rounds that only yield, a few milliseconds; then short sleeps

}  // namespace

ProxyProgress::ProxyProgress(const TransferContext& context, std::string thread_name,
                             const std::atomic<bool>& abort, std::function<void(ns_result)> on_error)
    : context_(context), thread_name_(std::move(thread_name)), abort_(abort), on_error_(std::move(on_error)) {
  thread_ = std::thread([this] { run(); });
}

ProxyProgress::~ProxyProgress() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  posted_or_stop_.notify_one();
  thread_.join();
}

void ProxyProgress::post(std::vector<QueuedOp> ops) {
  if (ops.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    posted_.insert(posted_.end(), ops.begin(), ops.end());
    has_posted_.store(true, std::memory_order_release);
  }
  posted_or_stop_.notify_one();
}

void ProxyProgress::run() {
  const TraceThread name(thread_name_);
  prctl(PR_SET_TIMERSLACK, 1000UL);  // the short sleeps below are meant to be short
  bool was_idle = false;
  int busy_rounds = 0;
  uint64_t idle_rounds = 0;
  for (;;) {
    bool idle = true;
    const ns_result result = advance_all(idle);
    if (result != ns_success) {
      log_info(~0UL, "proxy: the network plugin returned an error: {} [Progress Thread]",
               result_name(result));
      on_error_(result);
      return;
    }
    report_idle_change(was_idle, idle);
    idle_rounds = idle ? idle_rounds + 1 : 0;
    if (idle || active_ == nullptr || ++busy_rounds == kAppendEvery) {
      busy_rounds = 0;
      if (take_posted() == 0) rest(idle_rounds);
    }
    was_idle = idle;
    if (abort_.load(std::memory_order_acquire)) return;
    if (active_ == nullptr) {
      const std::lock_guard lock(mutex_);
      if (stop_ && posted_.empty() && next_taken_ == taken_.size()) return;
    }
  }
}

// Yields while an answer may come any moment, then leaves the core to others.
void ProxyProgress::rest(uint64_t idle_rounds) {
  if (idle_rounds < kYieldRounds) {
    sched_yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

ns_result ProxyProgress::advance_all(bool& idle) {
  ns_result first_error = ns_success;
  ProxyArgs* before = nullptr;
  ProxyArgs* args = active_;
  while (args != nullptr) {
    const ns_result result = advance(*args);
    idle &= args->idle;
    if (result != ns_success && first_error == ns_success) first_error = result;
    if (result != ns_success || args->state == ArgsState::kNone) {
      args = remove(args, before);
    } else {
      before = args;
      args = args->next;
    }
  }
  return first_error;
}

ns_result ProxyProgress::advance(ProxyArgs& args) {
  if (args.collnet) {
    return args.send ? progress_collnet_send(*context_.collnet, args)
                     : progress_collnet_recv(*context_.collnet, args);
  }
  return args.send ? progress_send(context_, args) : progress_recv(context_, args);
}

// Appends what was queued, at most kAppendGroups operations at a time. With nothing to do it waits for more.
int ProxyProgress::take_posted() {
  if (next_taken_ == taken_.size()) {
    if (active_ != nullptr && !has_posted_.load(std::memory_order_acquire)) return 0;
    std::unique_lock lock(mutex_);
    if (active_ == nullptr && posted_.empty() && !stop_) {
      void* event = context_.profile.start_ctrl();
      context_.profile.ctrl_state(event, EventState::kProxyCtrlSleep);
      posted_or_stop_.wait(lock, [this] { return !posted_.empty() || stop_; });
      context_.profile.ctrl_state(event, EventState::kProxyCtrlWakeup);
      context_.profile.stop_ctrl(event);
    }
    taken_.clear();
    next_taken_ = 0;
    taken_.swap(posted_);
    has_posted_.store(false, std::memory_order_release);
  }
  void* event = context_.profile.start_ctrl();
  context_.profile.ctrl_state(event, EventState::kProxyCtrlAppend);
  int added = 0;
  int groups = 0;
  for (; next_taken_ < taken_.size(); ++next_taken_, ++added) {
    const bool another = added > 0 && taken_[next_taken_].op.op_count != taken_[next_taken_ - 1].op.op_count;
    if (another && ++groups > kAppendGroups) break;
    append(taken_[next_taken_]);
  }
  context_.profile.ctrl_state(event, EventState::kProxyCtrlAppendEnd, added);
  context_.profile.stop_ctrl(event);
  return added;
}

void ProxyProgress::append(const QueuedOp& queued) {
  Connection& connection = *queued.connection;
  ProxyArgs*& last = *connection.append_to;
  if (last != nullptr && connection.shared && last->op_count == queued.op.op_count &&
      last->nsubs < kMaxSubs) {
    add_sub(*last, queued);
    return;
  }
  ProxyArgs* args = allocate();
  args->nsubs = 0;
  add_sub(*args, queued);
  if (last != nullptr) {
    last->next_peer = args;
  } else if (active_ == nullptr) {
    active_ = args;
  } else {
    ProxyArgs* end = active_;
    while (end->next != nullptr) end = end->next;
    end->next = args;
  }
  last = args;
}

void ProxyProgress::add_sub(ProxyArgs& args, const QueuedOp& queued) {
  const ProxyOp& op = queued.op;
  if (args.nsubs == 0) {
    args.done = 0;
    args.send = op.send;
    args.collnet = op.pattern == Pattern::kCollNetChain;
    args.op_count = op.op_count;
    args.slice_steps = static_cast<uint64_t>(op.slice_steps);
    args.chunk_steps = static_cast<uint64_t>(op.chunk_steps);
    args.chunk_bytes = op.chunk_size;
    args.protocol = op.protocol;
    args.algorithm = op.algorithm;
    args.function = op.function;
    args.type = op.type;
    args.op = op.op;
    args.channels = op.channels;
    args.peers = op.peers;
    args.state = ArgsState::kReady;
    args.append_to = queued.connection->append_to;
  } else {
    args.channels = std::min(args.channels, op.channels);
    args.peers = std::min(args.peers, op.peers);
  }
  ProxySub& sub = args.subs[static_cast<size_t>(args.nsubs++)];
  sub.connection = queued.connection;
  sub.target = &context_.profile.target();
  sub.channel = op.channel;
  sub.peer = op.peer;
  sub.nsteps = static_cast<uint64_t>(op.nsteps);
  sub.nbytes = op.nbytes;
  sub.profile = queued.profile;
  context_.profile.start_op(args, sub);
}

ProxyArgs* ProxyProgress::allocate() {
  if (free_ == nullptr) {
    pools_.push_back(std::make_unique<ProxyArgs[]>(kPoolSize));
    ProxyArgs* pool = pools_.back().get();
    for (size_t i = 0; i + 1 < kPoolSize; ++i) pool[i].next = &pool[i + 1];
    free_ = pool;
  }
  ProxyArgs* args = free_;
  free_ = args->next;
  args->next = args->next_peer = nullptr;
  return args;
}

// Takes a finished operation out of the list; the next one on its connection, if any, takes its place and has
// its turn in the next round. Returns what comes after in the list.
ProxyArgs* ProxyProgress::remove(ProxyArgs* args, ProxyArgs*& before) {
  ProxyArgs* next = args->next;
  ProxyArgs* heir = args->next_peer;
  if (heir != nullptr) {
    heir->next = next;
  } else {
    *args->append_to = nullptr;
  }
  (before != nullptr ? before->next : active_) = heir != nullptr ? heir : next;
  if (heir != nullptr) before = heir;
  args->next = free_;
  free_ = args;
  return next;
}

void ProxyProgress::report_idle_change(bool was_idle, bool idle) {
  if (was_idle == idle) return;
  void* event = context_.profile.start_ctrl();
  context_.profile.ctrl_state(event, idle ? EventState::kProxyCtrlIdle : EventState::kProxyCtrlActive);
  context_.profile.stop_ctrl(event);
}

}  // namespace netsense::engine
