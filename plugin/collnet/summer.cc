#include "plugin/collnet/summer.h"

#include <cstring>

#include "plugin/core/log.h"

namespace netsense::collnet {
namespace {

Status malformed(const std::string& who) {
  NETSENSE_WARN("the all-reduce with peer {} failed: a part of its data is malformed", who);
  return Status::kRemoteError;
}

}  // namespace

Status Summer::advance(bool* moved) {
  while (at_.call < group_.begun()) {
    Call& call = group_.call(at_.call);
    const Range share = summed_by(call, group_.ranks(), group_.rank());
    if (at_.piece == pieces(share, call.element_size())) {
      at_.next_call();
      *moved = true;
      group_.end_step(call);
      continue;
    }
    const Range elements = piece(share, call.element_size(), at_.piece);
    Step step = Step::kWait;
    const Status status = call.args.kind == Kind::kAllGather ? gather_piece(call, elements, &step)
                                                             : sum_piece(call, elements, &step, moved);
    if (status != Status::kOk) return status;
    if (step == Step::kWait) break;
    *moved = true;
    ++at_.piece;
  }
  return Status::kOk;
}

Status Summer::sum_piece(Call& call, const Range& elements, Step* step, bool* moved) {
  for (; next_rank_ < group_.ranks(); ++next_rank_) {
    if (next_rank_ == group_.rank()) {
      // The result may go where the input lies.
      if (takes_one_trip(call, group_.ranks()) && !inputs_.has_sent(at_.call, at_.piece)) return Status::kOk;
      if (const Status status = add_own(call, elements); status != Status::kOk) return status;
      continue;
    }
    const Part* part = nullptr;
    Status status = group_.next_part(next_rank_, Phase::kInputs, call, at_.piece, elements.size(), &part);
    if (status != Status::kOk || part == nullptr) return status;
    if (status = add_part(call, elements, *part, next_rank_); status != Status::kOk) return status;
    if (status = group_.recv(next_rank_, Phase::kInputs).pop(); status != Status::kOk) return status;
    *moved = true;
  }
  const Status status = finish_piece(call, elements, step);
  if (status == Status::kOk && *step == Step::kDone) next_rank_ = 0;
  return status;
}

Status Summer::add_part(Call& call, const Range& elements, const Part& part, int rank) {
  const bool first = rank == 0;
  if (part.header.kind == PartKind::kLossy) {
    const bool good =
        sums_in_f32(call.args.type) && call.args.op == Op::kSum &&
        group_.coder().add(part.body, elements.size(), first, reinterpret_cast<float*>(sum_.data()));
    return good ? Status::kOk : malformed(group_.recv(rank, Phase::kInputs).peer());
  }
  if (part.body.size() != elements.size() * call.element_size()) {
    return malformed(group_.recv(rank, Phase::kInputs).peer());
  }
  if (first) {
    begin_sum(call.args.type, part.body.data(), elements.size(), sum_.data());
  } else {
    add_to_sum(call.args.type, call.args.op, part.body.data(), elements.size(), sum_.data());
  }
  return Status::kOk;
}

Status Summer::add_own(Call& call, const Range& elements) {
  const bool first = group_.rank() == 0;
  // What the others get of it is what counts; but what only this rank sums it adds as it is.
  if (takes_one_trip(call, group_.ranks()) && group_.coder().codes_inputs(call)) {
    std::vector<std::byte>& coded = group_.own_inputs().front();
    if (!group_.coder().add(coded, elements.size(), first, reinterpret_cast<float*>(sum_.data()))) {
      return malformed("this rank itself");
    }
    group_.own_inputs().pop_front();
    return Status::kOk;
  }
  const std::byte* own = call.args.send + elements.begin * call.element_size();
  if (first) {
    begin_sum(call.args.type, own, elements.size(), sum_.data());
  } else {
    add_to_sum(call.args.type, call.args.op, own, elements.size(), sum_.data());
  }
  return Status::kOk;
}

// A reduce-scatter has memory for the rank's own part only.
std::byte* Summer::result_of(const Call& call, const Range& elements) {
  const size_t base =
      call.args.kind == Kind::kReduceScatter ? share_of(call, group_.ranks(), group_.rank()).begin : 0;
  return call.args.recv + (elements.begin - base) * call.element_size();
}

Status Summer::finish_piece(Call& call, const Range& elements, Step* step) {
  if (gathers(call, group_.ranks())) {
    if (!has_room(call, elements)) return Status::kOk;
    if (const Status status = publish(call, elements); status != Status::kOk) return status;
  } else {
    end_sum(call.args.type, sum_.data(), elements.size(), result_of(call, elements));
  }
  *step = Step::kDone;
  return Status::kOk;
}

// Whether sums go out from where the result lies: nothing of them is rounded, and they are large.
bool Summer::sends_apart(const Call& call, const Range& elements) {
  const bool rounds = call.args.kind != Kind::kAllGather && group_.coder().codes_sums(call);
  return !rounds && elements.size() * call.element_size() >= kApartBytes;
}

bool Summer::has_room(const Call& call, const Range& elements) {
  const size_t room = LossyCoder::room(call, elements.size());
  const bool apart = sends_apart(call, elements);
  for (int rank = 0; rank < group_.ranks(); ++rank) {
    if (rank == group_.rank()) continue;
    SendLane& lane = group_.send(rank, Phase::kSums);
    if (apart ? !lane.has_room_apart() : lane.reserve(room) == nullptr) return false;
  }
  return true;
}

// All ranks take the same bytes, this one too.
Status Summer::publish(Call& call, const Range& elements) {
  const bool gathered = call.args.kind == Kind::kAllGather;
  const bool apart = sends_apart(call, elements);
  const bool rounds = !gathered && group_.coder().codes_sums(call);
  PartHeader header{.kind = rounds  ? PartKind::kLossy
                            : apart ? PartKind::kApart
                                    : PartKind::kRaw,
                    .call = static_cast<uint32_t>(call.number),
                    .print = call.print,
                    .piece = static_cast<uint32_t>(at_.piece),
                    .elements = static_cast<uint32_t>(elements.size()),
                    .bytes = static_cast<uint32_t>(elements.size() * call.element_size())};
  std::byte* result = result_of(call, elements);
  const std::byte* bytes = result;
  if (rounds) {
    header.bytes = static_cast<uint32_t>(
        group_.coder().code_sum(call, elements, reinterpret_cast<float*>(sum_.data()), coded_.data()));
    if (!group_.coder().decode(call.args.type, {coded_.data(), header.bytes}, elements.size(), result)) {
      return malformed("this rank itself");
    }
    bytes = coded_.data();
  } else if (!gathered) {
    end_sum(call.args.type, sum_.data(), elements.size(), result);
  }
  const int type = static_cast<int>(call.args.type);
  for (int distance = 1; distance < group_.ranks(); ++distance) {
    SendLane& lane = group_.send((group_.rank() + distance) % group_.ranks(), Phase::kSums);
    if (apart) {
      lane.commit_apart(header, result, type, Group::token_of(call));
    } else {
      std::memcpy(lane.reserve(LossyCoder::room(call, elements.size())), bytes, header.bytes);
      lane.commit(header, type);
    }
    group_.coder().sent(call, header.bytes);
  }
  return Status::kOk;
}

Status Summer::gather_piece(Call& call, const Range& elements, Step* step) {
  if (!has_room(call, elements)) return Status::kOk;
  const Range share = share_of(call, group_.ranks(), group_.rank());
  std::memmove(result_of(call, elements), call.args.send + (elements.begin - share.begin), elements.size());
  *step = Step::kDone;
  return publish(call, elements);
}

}  // namespace netsense::collnet
