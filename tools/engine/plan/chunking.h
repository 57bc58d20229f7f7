// How one channel's share of a collective is cut into chunks, slices and buffer steps.
#pragma once

#include "tools/engine/plan/plan.h"

namespace netsense::engine {

struct Chunking {
  ProxyOp op;              // without channel, peer, order
  size_t chunk_count = 0;  // elements
  int slices_per_chunk = 1;
};

// bytes: what all ranks together hold of the share, as operation_bytes counts.
Chunking cut_into_chunks(const CommShape& shape, const PlanSettings& settings, const PlannedColl& coll,
                         int channels, size_t bytes);

}  // namespace netsense::engine
