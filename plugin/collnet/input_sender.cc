#include "plugin/collnet/input_sender.h"

#include <algorithm>
#include <cstring>

namespace netsense::collnet {

Status InputSender::advance(bool* moved) {
  while (at_.call < group_.begun()) {
    Call& call = group_.call(at_.call);
    if (at_.piece == pieces_of(call)) {
      at_.next_call();
      *moved = true;
      group_.end_step(call);
      continue;
    }
    if (!send_piece(call)) break;
    *moved = true;
    ++at_.piece;
  }
  return Status::kOk;
}

// Those of the largest share.
size_t InputSender::pieces_of(const Call& call) {
  if (call.args.kind == Kind::kAllGather) return 0;
  size_t most = 0;
  for (int owner = 0; owner < group_.ranks(); ++owner) {
    if (owner == group_.rank()) continue;
    most = std::max(most, pieces(summed_by(call, group_.ranks(), owner), call.element_size()));
  }
  return most;
}

bool InputSender::send_piece(Call& call) {
  const size_t size = call.element_size();
  if (takes_one_trip(call, group_.ranks())) {
    return send_to_all(call, piece({0, call.args.elements}, size, at_.piece));
  }
  for (; distance_ < group_.ranks(); ++distance_) {
    // Each begins at its own neighbour, so that they do not all send to the same rank at once.
    const int owner = (group_.rank() + distance_) % group_.ranks();
    const Range share = share_of(call, group_.ranks(), owner);
    if (at_.piece >= pieces(share, size)) continue;
    if (!send_to_owner(call, owner, piece(share, size, at_.piece))) return false;
  }
  distance_ = 1;
  return true;
}

size_t InputSender::write(Call& call, const Range& elements, std::byte* to) {
  if (group_.coder().codes_inputs(call)) return group_.coder().code_input(call, elements, to);
  const size_t size = call.element_size();
  std::memcpy(to, call.args.send + elements.begin * size, elements.size() * size);
  return elements.size() * size;
}

PartHeader InputSender::header_of(const Call& call, const Range& elements, size_t bytes) const {
  return {.kind = group_.coder().codes_inputs(call) ? PartKind::kLossy : PartKind::kRaw,
          .call = static_cast<uint32_t>(call.number),
          .print = call.print,
          .piece = static_cast<uint32_t>(at_.piece),
          .elements = static_cast<uint32_t>(elements.size()),
          .bytes = static_cast<uint32_t>(bytes)};
}

// Whether elements go out from where they lie: large ones that are not rounded, and that no result is written
// over before they have arrived. (Where an owner sums, its sums come after its inputs.)
bool InputSender::sends_apart(const Call& call, const Range& elements) {
  if (elements.size() * call.element_size() < kApartBytes || group_.coder().codes_inputs(call)) return false;
  const std::byte* send = call.args.send;
  const std::byte* recv = call.args.recv;
  const bool apart = send + call.bytes() <= recv || recv + call.bytes() <= send;
  return apart || !takes_one_trip(call, group_.ranks());
}

void InputSender::commit_apart(Call& call, const Range& elements, SendLane& lane) {
  const size_t size = call.element_size();
  PartHeader header = header_of(call, elements, elements.size() * size);
  header.kind = PartKind::kApart;
  lane.commit_apart(header, call.args.send + elements.begin * size, static_cast<int>(call.args.type),
                    Group::token_of(call));
  group_.coder().sent(call, header.bytes);
}

bool InputSender::send_to_owner(Call& call, int owner, const Range& elements) {
  SendLane& lane = group_.send(owner, Phase::kInputs);
  if (sends_apart(call, elements)) {
    if (!lane.has_room_apart()) return false;
    commit_apart(call, elements, lane);
    return true;
  }
  std::byte* to = lane.reserve(LossyCoder::room(call, elements.size()));
  if (to == nullptr) return false;
  const size_t bytes = write(call, elements, to);
  lane.commit(header_of(call, elements, bytes), static_cast<int>(call.args.type));
  group_.coder().sent(call, bytes);
  return true;
}

bool InputSender::send_to_all(Call& call, const Range& elements) {
  const size_t room = LossyCoder::room(call, elements.size());
  const bool apart = sends_apart(call, elements);
  for (int rank = 0; rank < group_.ranks(); ++rank) {
    if (rank == group_.rank()) continue;
    SendLane& lane = group_.send(rank, Phase::kInputs);
    if (apart ? !lane.has_room_apart() : lane.reserve(room) == nullptr) return false;
  }
  const std::byte* coded = nullptr;
  PartHeader header;
  for (int distance = 1; distance < group_.ranks(); ++distance) {
    SendLane& lane = group_.send((group_.rank() + distance) % group_.ranks(), Phase::kInputs);
    if (apart) {
      commit_apart(call, elements, lane);
      continue;
    }
    std::byte* to = lane.reserve(room);
    if (coded == nullptr) {
      header = header_of(call, elements, write(call, elements, to));
    } else {
      std::memcpy(to, coded, header.bytes);
    }
    coded = to;
    lane.commit(header, static_cast<int>(call.args.type));
    group_.coder().sent(call, header.bytes);
  }
  if (header.kind == PartKind::kLossy) group_.own_inputs().emplace_back(coded, coded + header.bytes);
  return true;
}

}  // namespace netsense::collnet
