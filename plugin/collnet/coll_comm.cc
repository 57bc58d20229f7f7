#include "plugin/collnet/coll_comm.h"

#include <pthread.h>

#include <chrono>
#include <optional>

#include "plugin/core/block_signals.h"
#include "plugin/core/guard.h"

namespace netsense::collnet {
namespace {

// How long the thread stays awake while it waits for other ranks: first it only lets other threads run, then
// it sleeps for as long as a message takes on a fast network.
constexpr int kYields = 64;
constexpr std::chrono::microseconds kNap{20};
// NCCL closes when its calls are complete, and what other ranks need of them may still be on its way. A peer
// that takes nothing for so long is given up.
constexpr std::chrono::seconds kFarewell{30};

}  // namespace

CollComm::CollComm(Mesh mesh)
    : rank_(mesh.rank), ranks_(mesh.ranks()), exchange_(std::move(mesh), calls_, coder_) {
  const core::BlockSignals blocked;
  thread_ = std::thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), "netsense-coll");
}

CollComm::~CollComm() {
  stop();
}

void CollComm::stop() {
  calls_.stop();
  if (thread_.joinable()) thread_.join();
}

Status CollComm::deregister_memory(transport::Region* region) {
  for (uint64_t number = 0; number < CallRing::kSize && region != nullptr; ++number) {
    const Call& call = calls_[number];
    if (!call.in_use || call.done.load(std::memory_order_acquire)) continue;
    const size_t bytes = call.bytes();
    if (region->overlaps(call.args.send, bytes) || region->overlaps(call.args.recv, bytes)) {
      stop();
      Status ok = Status::kOk;
      status_.compare_exchange_strong(ok, Status::kInternalError);
      break;
    }
  }
  return regions_.remove(region);
}

Status CollComm::post(const CallArgs& args, transport::Request** request) {
  const Status status = status_.load(std::memory_order_acquire);
  if (status == Status::kOk) *request = calls_.post(this, args);
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
}

Status CollComm::drive() {
  int idle_rounds = 0;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  for (;;) {
    if (calls_.stopped()) {
      if (!exchange_.complete() || exchange_.idle()) return Status::kOk;
      if (!deadline) deadline = std::chrono::steady_clock::now() + kFarewell;
      if (std::chrono::steady_clock::now() > *deadline) return Status::kRemoteError;
    }
    bool moved = false;
    if (const Status status = exchange_.step(&moved); status != Status::kOk) return status;
    if (moved) {
      idle_rounds = 0;
    } else if (exchange_.idle()) {
      calls_.wait(exchange_.begun());
    } else if (++idle_rounds < kYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kNap);
    }
  }
}

}  // namespace netsense::collnet
