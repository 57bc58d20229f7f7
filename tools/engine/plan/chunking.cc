#include "tools/engine/plan/chunking.h"

#include <algorithm>

#include "tools/engine/plan/arithmetic.h"

namespace netsense::engine {
namespace {

Pattern pattern_of(Function function, Algorithm algorithm) {
  if (algorithm == Algorithm::kCollNetChain) return Pattern::kCollNetChain;
  if (algorithm == Algorithm::kTree) return Pattern::kTreeUpDown;
  switch (function) {
    case Function::kBroadcast:
      return Pattern::kPipelineFrom;
    case Function::kReduce:
      return Pattern::kPipelineTo;
    case Function::kAllReduce:
      return Pattern::kRingTwice;
    default:
      return Pattern::kRing;
  }
}

// Rings that keep every rank busy send half a buffer per chunk, in two messages.
bool has_large_chunks(Pattern pattern, Protocol protocol) {
  return protocol == Protocol::kSimple && (pattern == Pattern::kRing || pattern == Pattern::kRingTwice);
}

// Halves the chunk until there are enough of them to overlap sending with reducing.
size_t chain_chunk(size_t bytes, size_t channels, size_t step) {
  size_t chunk = std::min<size_t>(256 * 1024, step);
  const auto fewer_than = [&](size_t count) { return bytes / (channels * chunk) < count; };
  while (fewer_than(64) && chunk > 131072) chunk /= 2;
  while (fewer_than(8) && chunk > 65536) chunk /= 2;
  while (fewer_than(1) && chunk > 32768) chunk /= 2;
  return chunk;
}

int peers_hint(Pattern pattern) {
  return pattern == Pattern::kTreeUpDown ? (kTreeArity - 1) * 2 : 1;
}

}  // namespace

Chunking cut_into_chunks(const CommShape& shape, const PlanSettings& settings, const PlannedColl& coll,
                         int channels, size_t bytes) {
  const Protocol protocol = coll.protocol;
  const Pattern pattern = pattern_of(coll.task.function, coll.algorithm);
  const size_t step = settings.buffer_bytes[static_cast<size_t>(protocol)] / kSteps;
  const int chunk_steps = has_large_chunks(pattern, protocol) ? kSteps / 2 : 1;
  const int slice_steps = has_large_chunks(pattern, protocol) ? kSteps / 4 : 1;
  size_t chunk = step * static_cast<size_t>(chunk_steps);
  if (protocol == Protocol::kLL) chunk /= 2;  // half of an LL buffer is flags
  if (pattern == Pattern::kCollNetChain) chunk = chain_chunk(bytes, static_cast<size_t>(channels), step);
  const size_t grain = protocol == Protocol::kLL ? 16 : 512;
  chunk = chunk / grain * grain;

  size_t steps_per_loop = 1;
  size_t chunks_per_loop = 1;
  const auto ranks = static_cast<size_t>(shape.ranks);
  if (pattern == Pattern::kRing || pattern == Pattern::kRingTwice) {
    steps_per_loop = (ranks - 1) * (pattern == Pattern::kRingTwice ? 2 : 1);
    chunks_per_loop = ranks;
  }

  Chunking result;
  result.chunk_count = chunk / ns_type_size(coll.task.type);
  result.slices_per_chunk = chunk_steps / slice_steps;
  ProxyOp& op = result.op;
  op.loop_size = static_cast<size_t>(channels) * chunks_per_loop * chunk;
  op.nsteps = static_cast<int>(steps_per_loop * div_up(bytes, op.loop_size)) * chunk_steps;
  op.pattern = pattern;
  op.function = coll.task.function;
  op.algorithm = coll.algorithm;
  op.protocol = protocol;
  op.type = coll.task.type;
  op.op = coll.task.op == ns_avg ? ns_sum : coll.task.op;
  op.root = coll.task.root;
  op.nbytes = step * static_cast<size_t>(slice_steps);
  op.slice_steps = slice_steps;
  op.chunk_steps = chunk_steps;
  op.chunk_size = chunk;
  op.slice_size = chunk / static_cast<size_t>(chunk_steps) * static_cast<size_t>(slice_steps);
  op.peers = peers_hint(pattern);
  op.id = coll.task.id;
  return result;
}

}  // namespace netsense::engine
