// One iallreduce, ireducescatter or iallgather under way.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "plugin/collnet/arithmetic.h"
#include "plugin/collnet/partition.h"
#include "plugin/core/profile.h"
#include "plugin/transport/transport.h"

namespace netsense::collnet {

enum class Kind : uint8_t { kAllReduce, kReduceScatter, kAllGather };

// The arguments, in elements. Equal on all ranks but for the addresses and the identity.
struct CallArgs {
  Kind kind = Kind::kAllReduce;
  Type type = Type::kUint8;  // of an all-gather always this: NCCL does not say what its bytes are
  Op op = Op::kSum;
  const std::byte* send = nullptr;  // reductions: all `elements`; all-gather: the rank's own part
  std::byte* recv = nullptr;        // reduce-scatter: the rank's own part; else all `elements`
  size_t elements = 0;
  // Reduce-scatter and all-gather move a window of the whole, in which each rank has per_rank.
  size_t per_rank = 0;
  size_t window_offset = 0;
  core::CollectiveCall identity{};
};

struct Call : transport::Request {
  CallArgs args;
  uint64_t number = 0;  // on its comm
  uint32_t print = 0;   // fingerprint of what must be equal on all ranks
  bool in_use = false;  // only NCCL's thread looks at it
  std::atomic<bool> done{false};
  // Only the comm's own thread uses what follows.
  int open_steps = 0;  // what is left to do

  [[nodiscard]] size_t element_size() const { return element_bytes(args.type); }
  [[nodiscard]] size_t bytes() const { return args.elements * element_size(); }
};

uint32_t fingerprint(const CallArgs& args);

// Inputs go to every rank, and each sums them all for itself: one trip instead of two. For two ranks it costs
// no byte more; for more it pays only where the trip is what takes the time.
inline constexpr size_t kOneTripBytes = size_t{8} << 10;
inline bool takes_one_trip(const Call& call, int ranks) {
  return call.args.kind == Kind::kAllReduce && (ranks == 2 || call.bytes() <= kOneTripBytes);
}

// What the rank owns of the call's elements.
inline Range share_of(const Call& call, int ranks, int rank) {
  return call.args.kind == Kind::kAllReduce
             ? even_share(call.args.elements, ranks, rank)
             : window_share(call.args.per_rank, call.args.window_offset, call.args.elements, rank);
}

// What the rank sums up.
inline Range summed_by(const Call& call, int ranks, int rank) {
  return takes_one_trip(call, ranks) ? Range{0, call.args.elements} : share_of(call, ranks, rank);
}

// Whether owners send what they have to all others.
inline bool gathers(const Call& call, int ranks) {
  return call.args.kind == Kind::kAllGather ||
         (call.args.kind == Kind::kAllReduce && !takes_one_trip(call, ranks));
}

// The calls of a comm. NCCL's thread posts and frees, the comm's own thread does the work.
class CallRing {
 public:
  // Twice what NCCL keeps in flight on a comm (NCCL_NET_MAX_REQUESTS).
  static constexpr size_t kSize = 64;

  [[nodiscard]] bool full() const { return ring_[posted_.load(std::memory_order_relaxed) % kSize].in_use; }
  // Null when it is full.
  Call* post(transport::Comm* owner, const CallArgs& args);
  [[nodiscard]] uint64_t posted() const { return posted_.load(std::memory_order_acquire); }
  // Returns when more than `seen` have been posted, or stop() was called.
  void wait(uint64_t seen) const;
  void stop();
  [[nodiscard]] bool stopped() const { return (signal_.load(std::memory_order_acquire) & kStop) != 0; }

  Call& operator[](uint64_t number) { return ring_[number % kSize]; }

 private:
  static constexpr uint32_t kStop = 1;

  std::array<Call, kSize> ring_;
  std::atomic<uint64_t> posted_{0};
  std::atomic<uint32_t> signal_{0};  // twice the calls posted, and kStop: 32 bits can be waited for
};

}  // namespace netsense::collnet
