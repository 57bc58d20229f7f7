#include "plugin/collnet/coll_comm.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "plugin/core/block_signals.h"
#include "plugin/core/guard.h"
#include "plugin/core/log.h"

namespace netsense::collnet {
namespace {

// While it waits for other ranks the thread stays awake for about a round trip of a fast network, and only
// lets other threads run; then it sleeps, for as long as a message takes.
constexpr std::chrono::microseconds kAwake{30};
constexpr std::chrono::microseconds kNap{20};
// What was seen longer ago says nothing of what is under way: it may have been another burst's.
constexpr std::chrono::milliseconds kFresh{10};
constexpr std::chrono::milliseconds kLookEvery{1};
// NCCL closes when its calls are complete, and what other ranks need of them may still be on its way. A peer
// that takes nothing for so long is given up.
constexpr std::chrono::seconds kFarewell{30};

}  // namespace

CollComm::CollComm(Mesh mesh, const core::Device& device, const config::Settings& settings, uint64_t comm_id)
    : rank_(mesh.rank),
      ranks_(mesh.ranks()),
      comm_id_(comm_id),
      link_(settings.mode == config::Mode::kAdaptive ? &link_of(&device, settings) : nullptr),
      coder_(settings, link_, residual_budget(settings), rank_, ranks_),
      exchange_(std::move(mesh), calls_, coder_) {
  if (link_ != nullptr) core::want_traffic_info(true);
  const core::BlockSignals blocked;
  thread_ = std::thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), "netsense-coll");
}

CollComm::~CollComm() {
  stop();
  if (link_ != nullptr) core::want_traffic_info(false);
}

void CollComm::stop() {
  calls_.stop();
  if (thread_.joinable()) thread_.join();
}

Status CollComm::deregister_memory(transport::Region* region) {
  for (uint64_t number = 0; number < CallRing::kSize && region != nullptr; ++number) {
    const Call& call = calls_[number];
    if (!call.in_use || call.done.load(std::memory_order_acquire)) continue;
    const size_t part = share_of(call, ranks_, rank_).size() * call.element_size();
    const size_t sent = call.args.kind == Kind::kAllGather ? part : call.bytes();
    const size_t received = call.args.kind == Kind::kReduceScatter ? part : call.bytes();
    if (region->overlaps(call.args.send, sent) || region->overlaps(call.args.recv, received)) {
      stop();
      Status ok = Status::kOk;
      status_.compare_exchange_strong(ok, Status::kInternalError);
      break;
    }
  }
  return regions_.remove(region);
}

Status CollComm::post(CallArgs args, transport::Request** request) {
  const Status status = status_.load(std::memory_order_acquire);
  if (status != Status::kOk || calls_.full()) return status;
  // Not before it is sure that the call is posted: the next one is counted as the next part.
  if (link_ != nullptr) {
    args.identity = core::profile().next_call(comm_id_, static_cast<int>(args.type));
  }
  *request = calls_.post(this, args);
  return status;
}

Status CollComm::test(transport::Request* request, bool* done, size_t* bytes) {
  auto* call = static_cast<Call*>(request);
  if (!call->done.load(std::memory_order_acquire)) return status_.load(std::memory_order_acquire);
  *done = true;
  *bytes = call->bytes();
  call->in_use = false;
  return Status::kOk;
}

void CollComm::run() {
  const Status status = core::guarded("CollNet", [this] { return drive(); });
  if (status != Status::kOk) status_.store(status, std::memory_order_release);
  coder_.give_up();
  exchange_.group().hang_up();
}

// The connections of the comm share the link.
void CollComm::look(probe::Time now) {
  if (now - last_look_ < kLookEvery) return;
  last_look_ = now;
  Link::Look look;
  uint64_t delivered = 0;
  double rtprop = 0;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (rank == rank_) continue;
    for (const Phase phase : {Phase::kInputs, Phase::kSums}) {
      const transport::PathView path = exchange_.group().send(rank, phase).comm().path();
      delivered += path.delivered_bytes;
      look.congested = look.congested || now - path.congested_at <= kFresh;
      if (path.rtprop_seconds > 0) {
        rtprop = rtprop == 0 ? path.rtprop_seconds : std::min(rtprop, path.rtprop_seconds);
      }
    }
  }
  look.delivered_bytes = delivered - std::exchange(delivered_, delivered);
  look.rtprop = probe::from_seconds(rtprop);
  link_->look(now, look);
}

Status CollComm::drive() {
  probe::Time last_move = probe::Clock::now();
  std::optional<std::chrono::steady_clock::time_point> deadline;
  for (;;) {
    if (calls_.stopped()) {
      if (!exchange_.complete() || exchange_.idle()) return Status::kOk;
      if (!deadline) deadline = std::chrono::steady_clock::now() + kFarewell;
      if (std::chrono::steady_clock::now() > *deadline) {
        NETSENSE_WARN(
            "CollNet: a peer has taken nothing for {} s while this rank closes: it may miss the end "
            "of its last collective",
            kFarewell.count());
        return Status::kRemoteError;
      }
    }
    if (link_ != nullptr && !exchange_.complete()) look(probe::Clock::now());
    bool moved = false;
    if (const Status status = exchange_.step(&moved); status != Status::kOk) return status;
    if (moved) {
      last_move = probe::Clock::now();
    } else if (exchange_.idle()) {
      calls_.wait(exchange_.begun());
      last_move = probe::Clock::now();
    } else if (probe::Clock::now() - last_move < kAwake) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kNap);
    }
  }
}

}  // namespace netsense::collnet
