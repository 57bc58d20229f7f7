// Sums up what a rank owns and sends the result to all others; or sends what it owns already (all-gather).
#pragma once

#include <array>

#include "plugin/collnet/group.h"
#include "plugin/collnet/input_sender.h"

namespace netsense::collnet {

class Summer {
 public:
  Summer(Group& group, const InputSender& inputs) : group_(group), inputs_(inputs) {}

  // As far as there are inputs, and room. *moved: whether there was progress.
  Status advance(bool* moved);

 private:
  enum class Step : uint8_t { kDone, kWait };

  // The next piece of the call.
  Status sum_piece(Call& call, const Range& elements, Step* step, bool* moved);
  Status add_part(Call& call, const Range& elements, const Part& part, int rank);
  Status add_own(Call& call, const Range& elements);
  Status finish_piece(Call& call, const Range& elements, Step* step);
  Status gather_piece(Call& call, const Range& elements, Step* step);
  bool sends_apart(const Call& call, const Range& elements);
  // In the lanes of all others.
  bool has_room(const Call& call, const Range& elements);
  Status publish(Call& call, const Range& elements);
  std::byte* result_of(const Call& call, const Range& elements);

  Group& group_;
  const InputSender& inputs_;
  Cursor at_;
  int next_rank_ = 0;  // whose input is added next
  alignas(64) std::array<std::byte, kPieceBytes> sum_;
  std::array<std::byte, kernels::max_lossy_bytes(kPieceElements)> coded_;
};

}  // namespace netsense::collnet
