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
  return flush();
}

Status Exchange::poll_lanes(bool* moved) {
  for (int rank = 0; rank < group_.ranks(); ++rank) {
    if (rank == group_.rank()) continue;
    for (const Phase phase : {Phase::kInputs, Phase::kSums}) {
      if (const Status status = group_.send(rank, phase).poll(moved); status != Status::kOk) return status;
      if (const Status status = group_.recv(rank, phase).poll(moved); status != Status::kOk) return status;
    }
  }
  return Status::kOk;
}

Status Exchange::flush() {
  for (int rank = 0; rank < group_.ranks(); ++rank) {
    if (rank == group_.rank()) continue;
    for (const Phase phase : {Phase::kInputs, Phase::kSums}) {
      if (const Status status = group_.send(rank, phase).flush(); status != Status::kOk) return status;
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
