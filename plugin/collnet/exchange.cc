#include "plugin/collnet/exchange.h"

namespace netsense::collnet {

Exchange::Exchange(Mesh mesh, CallRing& calls, LossyCoder& coder)
    : calls_(calls), group_(std::move(mesh), calls, coder), inputs_(group_), summer_(group_, inputs_) {
  for (int rank = 0; rank < group_.ranks(); ++rank) {
    if (rank != group_.rank()) takers_.emplace_back(group_, rank);
  }
}

Status Exchange::step(bool* moved) {
  for (const uint64_t posted = calls_.posted(); group_.begun() < posted;) {
    group_.begin(calls_[group_.begun()]);
    *moved = true;
  }
  if (const Status status = poll_lanes(moved); status != Status::kOk) return status;
  if (const Status status = inputs_.advance(moved); status != Status::kOk) return status;
  if (const Status status = summer_.advance(moved); status != Status::kOk) return status;
  for (SumTaker& taker : takers_) {
    if (const Status status = taker.advance(moved); status != Status::kOk) return status;
  }
  // Messages go out when they are full, and when there is nothing else to do: as long as there is, more may
  // come to fill them, and few large ones cost less than many small ones.
  return *moved ? Status::kOk : flush(moved);
}

// Memory of NCCL's that was sent from is free again when it has been sent.
Status Exchange::poll_sent(SendLane& lane, bool* moved) {
  for (;;) {
    uint64_t token = 0;
    const Status status = lane.poll(moved, &token);
    if (status != Status::kOk || token == 0) return status;
    group_.end_step(calls_[Group::call_of(token)]);
  }
}

Status Exchange::poll_lanes(bool* moved) {
  for (int rank = 0; rank < group_.ranks(); ++rank) {
    if (rank == group_.rank()) continue;
    for (const Phase phase : {Phase::kInputs, Phase::kSums}) {
      if (const Status status = poll_sent(group_.send(rank, phase), moved); status != Status::kOk) {
        return status;
      }
      if (const Status status = group_.recv(rank, phase).poll(moved); status != Status::kOk) return status;
    }
  }
  return Status::kOk;
}

Status Exchange::flush(bool* moved) {
  for (int rank = 0; rank < group_.ranks(); ++rank) {
    if (rank == group_.rank()) continue;
    for (const Phase phase : {Phase::kInputs, Phase::kSums}) {
      if (const Status status = group_.send(rank, phase).flush(moved); status != Status::kOk) return status;
    }
  }
  return Status::kOk;
}

bool Exchange::idle() {
  if (!complete()) return false;
  for (int rank = 0; rank < group_.ranks(); ++rank) {
    if (rank == group_.rank()) continue;
    for (const Phase phase : {Phase::kInputs, Phase::kSums}) {
      if (!group_.send(rank, phase).quiet()) return false;
    }
  }
  return true;
}

}  // namespace netsense::collnet
