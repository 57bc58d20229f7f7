#include "plugin/collnet/group.h"

#include "plugin/core/log.h"

namespace netsense::collnet {

void Group::begin(Call& call) {
  ++begun_;
  const size_t size = call.element_size();
  const bool reduces = call.args.kind != Kind::kAllGather;
  // Every step passes every call, also one that has nothing to do there: a call's memory is used again when
  // all have left it behind.
  call.open_steps = 1 + ranks();  // the sender, the summer, and a taker for each other rank
  for (int rank = 0; rank < ranks(); ++rank) {
    if (rank == mesh_.rank) continue;
    if (reduces) recv(rank, Phase::kInputs).expect(pieces(summed_by(call, ranks(), mesh_.rank), size));
    if (!gathers(call, ranks())) continue;
    recv(rank, Phase::kSums).expect(pieces(share_of(call, ranks(), rank), size));
  }
  coder_.begin(call);
}

void Group::end_step(Call& call) {
  if (--call.open_steps > 0) return;
  ++ended_;
  coder_.end(call);
  call.done.store(true, std::memory_order_release);
}

Status Group::next_part(int rank, Phase phase, const Call& call, size_t piece, size_t elements,
                        const Part** part) {
  const Part* front = recv(rank, phase).front();
  if (front == nullptr) return Status::kOk;
  const PartHeader& header = front->header;
  if (header.call == static_cast<uint32_t>(call.number) && header.print == call.print &&
      header.piece == piece && header.elements == elements) {
    *part = front;
    return Status::kOk;
  }
  NETSENSE_WARN(
      "CollNet: peer {} is in another collective: this rank is in call {} (fingerprint {:08x}, {} elements "
      "in "
      "piece {}), the peer sent call {} (fingerprint {:08x}, {} elements in piece {}). Ranks must call the "
      "same "
      "collectives with the same count, type and operation in the same order",
      recv(rank, phase).peer(), call.number, call.print, elements, piece, header.call, header.print,
      header.elements, header.piece);
  return Status::kRemoteError;
}

}  // namespace netsense::collnet
