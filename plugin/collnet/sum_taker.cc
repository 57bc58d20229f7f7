#include "plugin/collnet/sum_taker.h"

#include <cstring>

#include "plugin/core/log.h"

namespace netsense::collnet {

Status SumTaker::advance(bool* moved) {
  while (at_.call < group_.begun()) {
    Call& call = group_.call(at_.call);
    const size_t size = call.element_size();
    const Range share = gathers(call, group_.ranks()) ? share_of(call, group_.ranks(), owner_) : Range{};
    if (at_.piece == pieces(share, size)) {
      at_.next_call();
      *moved = true;
      group_.end_step(call);
      continue;
    }
    const Range elements = piece(share, size, at_.piece);
    const Part* part = nullptr;
    Status status = group_.next_part(owner_, Phase::kSums, call, at_.piece, elements.size(), &part);
    if (status != Status::kOk || part == nullptr) return status;
    if (status = take(call, elements, *part); status != Status::kOk) return status;
    if (status = group_.recv(owner_, Phase::kSums).pop(); status != Status::kOk) return status;
    *moved = true;
    ++at_.piece;
  }
  return Status::kOk;
}

Status SumTaker::take(Call& call, const Range& elements, const Part& part) {
  std::byte* to = call.args.recv + elements.begin * call.element_size();
  if (part.header.kind == PartKind::kRaw) {
    if (part.body.size() == elements.size() * call.element_size()) {
      std::memcpy(to, part.body.data(), part.body.size());
      return Status::kOk;
    }
  } else if (sums_in_f32(call.args.type) && call.args.op == Op::kSum &&
             group_.coder().decode(call.args.type, part.body, elements.size(), to)) {
    return Status::kOk;
  }
  NETSENSE_WARN("the all-reduce with peer {} failed: a part of its data is malformed",
                group_.recv(owner_, Phase::kSums).peer());
  return Status::kRemoteError;
}

}  // namespace netsense::collnet
