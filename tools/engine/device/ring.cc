#include <algorithm>

#include "tools/engine/device/programs.h"
#include "tools/engine/plan/arithmetic.h"

namespace netsense::engine {
namespace {

// Counts the steps of a ring within a loop, and the loops over the channel's part.
class RingProgram : public Program {
 public:
  RingProgram(const Ring& ring, int ranks, const CollWork& work, int steps, size_t loop)
      : ring_(ring), ranks_(ranks), work_(work), steps_(steps), loop_(loop) {}

  bool next(Call& call) override {
    if (done_ >= work_.part.count) return false;
    call = {};
    fill(call, step_, done_);
    if (++step_ == steps_) {
      step_ = 0;
      done_ += loop_;
    }
    return true;
  }

 protected:
  virtual void fill(Call& call, int step, size_t done) const = 0;

  [[nodiscard]] const CollWork& work() const { return work_; }
  [[nodiscard]] const Ring& ring() const { return ring_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  // The rank so many places before this one.
  [[nodiscard]] size_t rank_before(int places) const {
    return static_cast<size_t>(ring_.user_ranks[static_cast<size_t>((ranks_ - places) % ranks_)]);
  }

 private:
  const Ring& ring_;
  int ranks_;
  const CollWork& work_;
  int steps_;
  size_t loop_;
  int step_ = 0;
  size_t done_ = 0;
};

// Each loop covers one chunk per rank. First every chunk goes once around and gathers its sum, then once more
// to tell.
class RingAllReduce final : public RingProgram {
 public:
  RingAllReduce(const Ring& ring, int ranks, const CollWork& work)
      : RingProgram(ring, ranks, work, 2 * ranks - 1, work.part.chunk_count * static_cast<size_t>(ranks)) {}

 protected:
  void fill(Call& call, int step, size_t done) const override {
    const auto n = static_cast<size_t>(ranks());
    const size_t left = work().part.count - done;
    size_t chunk = work().part.chunk_count;
    if (left < chunk * n) chunk = align_up(div_up(left, n), 16 / ns_type_size(work().type));
    const int gather = step - (ranks() - 1);  // 0: the sum is complete here
    const int before = gather < 0 ? step + 1 : gather;
    const auto place = static_cast<size_t>((ring().index + ranks() - before) % ranks());
    const size_t offset = work().part.offset + done + place * chunk;
    call.count = std::min(chunk, left - std::min(left, place * chunk));
    call.source_offset = call.store_offset = offset;
    call.source = gather <= 0 ? Source::kInput : Source::kNone;
    call.recv = step > 0;
    call.send = gather < ranks() - 1;
    call.store = gather >= 0;
    call.final = gather == 0;
  }
};

class RingAllGather final : public RingProgram {
 public:
  RingAllGather(const Ring& ring, int ranks, const CollWork& work)
      : RingProgram(ring, ranks, work, ranks, work.part.chunk_count) {}

 protected:
  void fill(Call& call, int step, size_t done) const override {
    const size_t own = work().part.offset + done;
    const size_t offset = own + rank_before(step) * work().count;
    call.count = std::min(work().part.chunk_count, work().part.count - done);
    call.source_offset = own;
    call.store_offset = offset;
    call.source = step == 0 ? Source::kInput : Source::kNone;
    call.recv = step > 0;
    call.send = step < ranks() - 1;
    const auto* in = static_cast<const std::byte*>(work().send) + own * ns_type_size(work().type);
    call.store =
        step > 0 || in != static_cast<const std::byte*>(work().recv) + offset * ns_type_size(work().type);
  }
};

class RingReduceScatter final : public RingProgram {
 public:
  RingReduceScatter(const Ring& ring, int ranks, const CollWork& work)
      : RingProgram(ring, ranks, work, ranks, work.part.chunk_count) {}

 protected:
  void fill(Call& call, int step, size_t done) const override {
    const size_t own = work().part.offset + done;
    call.count = std::min(work().part.chunk_count, work().part.count - done);
    call.source = Source::kInput;
    call.source_offset = own + rank_before(step + 1) * work().count;
    call.store_offset = own;
    call.recv = step > 0;
    call.send = step < ranks() - 1;
    call.store = call.final = step == ranks() - 1;
  }
};

}  // namespace

std::unique_ptr<Program> ring_all_reduce(const Ring& ring, int ranks, const CollWork& work) {
  return std::make_unique<RingAllReduce>(ring, ranks, work);
}
std::unique_ptr<Program> ring_all_gather(const Ring& ring, int ranks, const CollWork& work) {
  return std::make_unique<RingAllGather>(ring, ranks, work);
}
std::unique_ptr<Program> ring_reduce_scatter(const Ring& ring, int ranks, const CollWork& work) {
  return std::make_unique<RingReduceScatter>(ring, ranks, work);
}

}  // namespace netsense::engine
