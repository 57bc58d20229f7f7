// A plan in the making: shared by the parts that add collectives and send/recv to it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tools/engine/plan/plan.h"

namespace netsense::engine {

struct PlanBuilder {
  PlanBuilder(const CommShape& shape_of, const PlanSettings& settings_of)
      : shape(shape_of), settings(settings_of) {
    const auto channels = std::max(shape.channels.size(), static_cast<size_t>(shape.p2p_channels));
    plan.batches.resize(channels);
    ops.resize(channels);
    p2p_batches.resize(channels);
  }

  const CommShape& shape;
  const PlanSettings& settings;
  Plan plan;
  std::vector<std::vector<ProxyOp>>
      ops;                            // by channel, one per connection, op_count counted from 0 in this plan
  std::vector<uint64_t> p2p_batches;  // by channel
  uint64_t colls = 0;
};

// Appends work of collectives whose algorithm, protocol, channels and warps are chosen; coll.channels holds
// the most channels that it may use, and all have a count above 0.
void add_colls(PlanBuilder& builder, std::vector<PlannedColl> colls);

// Sets error when a send or receive to this rank itself has no counterpart.
ns_result add_p2ps(PlanBuilder& builder, const std::vector<P2pTask>& tasks, std::string& error);

// The operations of every connection that a collective's operation needs, in NCCL's order.
void add_connection_ops(const CommShape& shape, const ProxyOp& op, std::vector<ProxyOp>& out);

}  // namespace netsense::engine
