// Runs the batches that a plan gives to one channel.
#pragma once

#include <atomic>
#include <vector>

#include "tools/engine/device/device.h"
#include "tools/engine/device/group.h"

namespace netsense::engine {

class Channel {
 public:
  Channel(const CommShape& shape, const PlanSettings& settings, const ConnectionLookup& lookup, int channel)
      : shape_(shape), settings_(settings), lookup_(lookup), channel_(channel) {}

  // False when it was aborted, by `abort` or by a connection.
  bool run(const std::vector<Batch>& batches, const std::atomic<bool>& abort);

 private:
  bool run_coll(const CollWork& work, const std::atomic<bool>& abort);
  bool run_p2ps(const std::vector<P2pWork>& works, const std::atomic<bool>& abort);
  bool add_half(const P2pHalf& half, bool send, std::vector<Group>& groups) const;
  bool connect(const Peers& peers, GroupSetup& setup) const;
  static bool run_groups(std::vector<Group>& groups, const std::atomic<bool>& abort);

  const CommShape& shape_;
  const PlanSettings& settings_;
  const ConnectionLookup& lookup_;
  int channel_;
};

}  // namespace netsense::engine
