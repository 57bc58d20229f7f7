// What each collective moves, where, and which bandwidth it demands of the links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace netsense::perf {

enum class Collective : uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kBroadcast,
  kReduce,
  kAllToAll,
  kSendRecv,
};

struct CollectiveInfo {
  Collective collective;
  const char* name;
  bool reduces;          // has a reduction operator
  bool rooted;           // has a root
  bool in_place;         // nccl.h defines an in-place form
  bool same_everywhere;  // every rank ends with the same bytes
};

[[nodiscard]] std::span<const CollectiveInfo> all_collectives();
[[nodiscard]] const CollectiveInfo& collective_info(Collective collective);
// Accepts nccl-tests' program names too ("all_reduce_perf").
[[nodiscard]] std::optional<Collective> find_collective(std::string_view name);

// Number of elements to pass to the call ("count" of nccl.h) for a buffer of about `bytes` in total. Where
// the buffer is split among ranks each part is a multiple of 16 bytes, except for sizes too small for that;
// at least 1.
[[nodiscard]] size_t count_for(Collective collective, size_t bytes, size_t element_bytes, int ranks);

// One rank's buffers for a call with `count`, in elements.
struct Layout {
  size_t send_elements = 0;
  size_t recv_elements = 0;
  size_t in_place_send_offset = 0;  // where the input lies when both share one buffer
  size_t in_place_recv_offset = 0;
};
[[nodiscard]] Layout layout_of(Collective collective, size_t count, int ranks, int rank);

// The size nccl-tests prints: the larger of the two buffers, in elements.
[[nodiscard]] size_t total_elements(Collective collective, size_t count, int ranks);

// A stretch of the result that must equal a stretch of one rank's input, or of the reduction of all inputs.
struct Piece {
  static constexpr int kReduced = -1;
  size_t result_offset = 0;  // elements
  size_t elements = 0;
  int source_rank = kReduced;
  size_t source_offset = 0;  // elements
};
// Everything that rank must find in its receive buffer; empty where the result is not defined (reduce, not
// root).
[[nodiscard]] std::vector<Piece> expected_pieces(Collective collective, size_t count, int ranks, int rank,
                                                 int root);

// Bus bandwidth over algorithm bandwidth: what each link carries per byte of the operation, so that the
// figure can be held against the link's speed whatever the number of ranks. Source: nccl-tests,
// doc/PERFORMANCE.md: all-reduce 2(n-1)/n; all-gather, reduce-scatter, all-to-all (n-1)/n; broadcast, reduce
// and send/receive 1.
[[nodiscard]] double bus_factor(Collective collective, int ranks);

}  // namespace netsense::perf
