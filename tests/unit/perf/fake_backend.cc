#include "tests/unit/perf/fake_backend.h"

#include <algorithm>
#include <cstring>

#include "tools/perf/numeric.h"

namespace netsense::perf {
namespace {

// Reductions of float sums only: what the tests of the runner use.
void add_floats(std::span<std::byte> to, std::span<const std::byte> from) {
  for (size_t at = 0; at < to.size(); at += sizeof(float)) {
    float a = 0;
    float b = 0;
    std::memcpy(&a, to.data() + at, sizeof a);
    std::memcpy(&b, from.data() + at, sizeof b);
    a += b;
    std::memcpy(to.data() + at, &a, sizeof a);
  }
}

}  // namespace

void FakeWorld::carry_out(const Call& call, int rank) {
  const auto element = static_cast<size_t>(type_info(call.type).bytes);
  const Layout layout = layout_of(call.collective, call.count, ranks_, rank);
  const auto* send = static_cast<const std::byte*>(call.send);
  {
    const std::lock_guard lock(mutex_);
    inputs_.resize(static_cast<size_t>(ranks_));
    inputs_[static_cast<size_t>(rank)].assign(send, send + layout.send_elements * element);
    ++calls_;
  }
  meet();
  compute(call, rank);
  if (mistake_) mistake_(call, rank);
  meet();
}

void FakeWorld::compute(const Call& call, int rank) const {
  const auto element = static_cast<size_t>(type_info(call.type).bytes);
  auto* recv = static_cast<std::byte*>(call.recv);
  for (const Piece& piece : expected_pieces(call.collective, call.count, ranks_, rank, call.root)) {
    const std::span<std::byte> to(recv + piece.result_offset * element, piece.elements * element);
    const size_t first = std::max(piece.source_rank, 0);
    std::copy_n(inputs_[first].data() + piece.source_offset * element, to.size(), to.data());
    if (piece.source_rank != Piece::kReduced) continue;
    for (size_t other = 1; other < inputs_.size(); ++other) {
      add_floats(to, std::span(inputs_[other]).subspan(piece.source_offset * element, to.size()));
    }
  }
}

void FakeWorld::meet() {
  std::unique_lock lock(mutex_);
  const int round = round_;
  if (++waiting_ == ranks_) {
    waiting_ = 0;
    ++round_;
    changed_.notify_all();
    return;
  }
  changed_.wait(lock, [&] { return round_ != round; });
}

void FakeBackend::write(void* to, std::span<const std::byte> from) {
  std::memcpy(to, from.data(), from.size());
}
void FakeBackend::read(std::span<std::byte> to, const void* from) {
  std::memcpy(to.data(), from, to.size());
}

void FakeBackend::synchronize() {
  for (const Call& call : queue_) world_->carry_out(call, rank_);
  queue_.clear();
}

}  // namespace netsense::perf
