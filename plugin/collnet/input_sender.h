// Sends a rank's inputs to the ranks that sum them.
#pragma once

#include "plugin/collnet/group.h"

namespace netsense::collnet {

class InputSender {
 public:
  explicit InputSender(Group& group) : group_(group) {}

  // As far as there is room. *moved: whether anything was sent.
  Status advance(bool* moved);
  // Calls and pieces before it have been sent, and their memory may be written.
  [[nodiscard]] bool has_sent(uint64_t call, size_t piece) const {
    return call < at_.call || (call == at_.call && piece < at_.piece);
  }

 private:
  // False: no room.
  bool send_piece(Call& call);
  bool send_to_all(Call& call, const Range& elements);
  bool send_to_owner(Call& call, int owner, const Range& elements);
  bool sends_apart(const Call& call, const Range& elements);
  void commit_apart(Call& call, const Range& elements, SendLane& lane);
  size_t write(Call& call, const Range& elements, std::byte* to);
  [[nodiscard]] PartHeader header_of(const Call& call, const Range& elements, size_t bytes) const;
  size_t pieces_of(const Call& call);

  Group& group_;
  Cursor at_;
  int distance_ = 1;  // to the next owner that gets this piece
};

}  // namespace netsense::collnet
