// The algorithm: inputs go to the ranks that own them, each sums what it owns in the order of the ranks and
// sends the sum to all (docs/all-reduce.md). A state machine without clock or thread; one thread at a time
// drives it.
#pragma once

#include <vector>

#include "plugin/collnet/group.h"
#include "plugin/collnet/input_sender.h"
#include "plugin/collnet/sum_taker.h"
#include "plugin/collnet/summer.h"

namespace netsense::collnet {

class Exchange {
 public:
  Exchange(Mesh mesh, CallRing& calls, LossyCoder& coder);

  // Does what can be done without waiting. *moved: whether that was anything. An error is final.
  Status step(bool* moved);
  // All calls that have been begun are complete.
  [[nodiscard]] bool complete() const { return group_.ended() == group_.begun(); }
  // And what others need of them has been sent.
  [[nodiscard]] bool idle();
  [[nodiscard]] uint64_t begun() const { return group_.begun(); }
  Group& group() { return group_; }

 private:
  Status poll_lanes(bool* moved);
  Status poll_sent(SendLane& lane, bool* moved);
  Status flush(bool* moved);

  CallRing& calls_;
  Group group_;
  InputSender inputs_;
  Summer summer_;
  std::vector<SumTaker> takers_;
};

}  // namespace netsense::collnet
