#include "tools/perf/workspace.h"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace netsense::perf {
namespace {

constexpr size_t kStagingBytes = size_t{1} << 20;
constexpr size_t kGuardBytes = 256;
constexpr std::byte kGuard{0xA5};

struct FreeState {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

}  // namespace

Workspace::Workspace(Backend& backend, size_t capacity, int ranks, int rank)
    : backend_(&backend),
      ranks_(ranks),
      rank_(rank),
      staging_(kStagingBytes),
      first_(backend, capacity + kGuardBytes),
      second_(backend, capacity + kGuardBytes) {}

Call Workspace::prepare(const Call& prototype, const Dataset& data, bool in_place) {
  const auto element = static_cast<size_t>(data.type().bytes);
  const Layout layout = layout_of(prototype.collective, prototype.count, ranks_, rank_);
  const size_t result_bytes = layout.recv_elements * element;
  Call call = prototype;
  if (in_place) {
    const size_t whole = std::max(layout.send_elements, layout.recv_elements) * element;
    std::byte* send = first_.data() + layout.in_place_send_offset * element;
    write_constant(first_.data(), whole + kGuardBytes);
    write_pattern(send, data.input(rank_), layout.send_elements * element);
    call.send = send;
    call.recv = first_.data() + layout.in_place_recv_offset * element;
  } else {
    write_pattern(first_.data(), data.input(rank_), layout.send_elements * element);
    write_constant(second_.data(), result_bytes + kGuardBytes);
    call.send = first_.data();
    call.recv = second_.data();
  }
  return call;
}

Finding Workspace::inspect(const Call& call, const Dataset& data, bool in_place, double tolerance) {
  const auto element = static_cast<size_t>(data.type().bytes);
  const Layout layout = layout_of(call.collective, call.count, ranks_, rank_);
  const auto* result = static_cast<const std::byte*>(call.recv);
  Finding finding;
  for (const Piece& piece : expected_pieces(call.collective, call.count, ranks_, rank_, call.root)) {
    const std::byte* from = result + piece.result_offset * element;
    const Expectation& expectation = data.expectation(piece.source_rank);
    if (tolerance > 0 && expectation.may_be_rounded()) {
      const double error = relative_error(from, piece.elements, expectation, piece.source_offset, element);
      finding.error = std::max(finding.error, error);
      if (!(error <= tolerance)) finding.wrong += piece.elements;
      continue;
    }
    finding.wrong += count_wrong(from, piece.elements, expectation, piece.source_offset, element);
  }
  if (in_place) {
    const size_t whole = std::max(layout.send_elements, layout.recv_elements) * element;
    finding.stray += count_changed_guard(first_.data() + whole);
  } else {
    finding.stray += count_changed_guard(result + layout.recv_elements * element);
    finding.stray += element * count_wrong(static_cast<const std::byte*>(call.send), layout.send_elements,
                                           data.expectation(rank_), 0, element);
  }
  hash(result, layout.recv_elements * element, finding);
  return finding;
}

void Workspace::write_pattern(std::byte* to, const Pattern& pattern, size_t bytes) {
  for (size_t offset = 0; offset < bytes; offset += staging_.size()) {
    const std::span<std::byte> part = std::span(staging_).first(std::min(staging_.size(), bytes - offset));
    pattern.fill(offset, part);
    backend_->write(to + offset, part);
  }
}

void Workspace::write_constant(std::byte* to, size_t bytes) {
  std::fill(staging_.begin(), staging_.end(), kGuard);
  for (size_t offset = 0; offset < bytes; offset += staging_.size()) {
    backend_->write(to + offset, std::span(staging_).first(std::min(staging_.size(), bytes - offset)));
  }
}

uint64_t Workspace::count_wrong(const std::byte* from, size_t elements, const Expectation& expectation,
                                size_t first, size_t element_bytes) {
  const size_t bytes = elements * element_bytes;
  uint64_t wrong = 0;
  for (size_t offset = 0; offset < bytes; offset += staging_.size()) {
    const std::span<std::byte> part = std::span(staging_).first(std::min(staging_.size(), bytes - offset));
    backend_->read(part, from + offset);
    wrong += expectation.count_wrong(part, first + offset / element_bytes);
  }
  return wrong;
}

double Workspace::relative_error(const std::byte* from, size_t elements, const Expectation& expectation,
                                 size_t first, size_t element_bytes) {
  const size_t bytes = elements * element_bytes;
  Expectation::Deviation sum;
  for (size_t offset = 0; offset < bytes; offset += staging_.size()) {
    const std::span<std::byte> part = std::span(staging_).first(std::min(staging_.size(), bytes - offset));
    backend_->read(part, from + offset);
    const Expectation::Deviation found = expectation.deviation(part, first + offset / element_bytes);
    sum.energy += found.energy;
    sum.error += found.error;
  }
  return sum.error == 0 ? 0 : std::sqrt(sum.error / sum.energy);
}

uint64_t Workspace::count_changed_guard(const std::byte* from) {
  const std::span<std::byte> guard = std::span(staging_).first(kGuardBytes);
  backend_->read(guard, from);
  return kGuardBytes - static_cast<uint64_t>(std::count(guard.begin(), guard.end(), kGuard));
}

void Workspace::hash(const std::byte* from, size_t bytes, Finding& finding) {
  const std::unique_ptr<XXH3_state_t, FreeState> state(XXH3_createState());
  XXH3_128bits_reset(state.get());
  for (size_t offset = 0; offset < bytes; offset += staging_.size()) {
    const std::span<std::byte> part = std::span(staging_).first(std::min(staging_.size(), bytes - offset));
    backend_->read(part, from + offset);
    XXH3_128bits_update(state.get(), part.data(), part.size());
  }
  const XXH128_hash_t value = XXH3_128bits_digest(state.get());
  finding.hash_low = value.low64;
  finding.hash_high = value.high64;
}

}  // namespace netsense::perf
