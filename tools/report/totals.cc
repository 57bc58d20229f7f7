#include "tools/report/totals.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace netsense::report {
namespace {

constexpr size_t kRaw = static_cast<size_t>(adapt::Action::kRaw);
constexpr size_t kModel = static_cast<size_t>(adapt::Reason::kModel);

template <typename Array>
void add_each(Array* to, const Array& from) {
  std::transform(to->begin(), to->end(), from.begin(), to->begin(), std::plus<>());
}

}  // namespace

size_t action_index(uint8_t action) {
  return action < kActions ? action : kRaw;
}

size_t reason_index(uint8_t reason) {
  return std::min<size_t>(reason, kReasons - 1);
}

size_t sent_as(const telemetry::TraceBlock& block) {
  return block.coded_bytes < block.raw_bytes ? action_index(block.action) : kRaw;
}

void Totals::add(const telemetry::TraceBlock& block) {
  const size_t action = action_index(block.action);
  const size_t as = sent_as(block);
  const size_t reason = reason_index(block.reason);
  raw_bytes += block.raw_bytes;
  wire_bytes += block.coded_bytes;
  ++blocks;
  bytes_as[as] += block.raw_bytes;
  ++blocks_as[as];
  ++blocks_because[reason];
  encode_seconds[action] += block.took_ns * 1e-9;
  if (as != kRaw) {
    const float chosen = action == static_cast<size_t>(adapt::Action::kFast) ? block.fast_s : block.tight_s;
    const bool known = !std::isnan(block.raw_s) && !std::isnan(chosen);
    if (known && reason == kModel) saved_seconds += static_cast<double>(block.raw_s) - chosen;
  } else if (action != kRaw) {
    in_vain_bytes += block.raw_bytes;
  } else {
    raw_bytes_because[reason] += block.raw_bytes;
  }
}

void Totals::add(const telemetry::TracePath& path) {
  const double queue = double{path.host_queue_s} + path.network_queue_s;
  ++looks;
  if ((path.flags & telemetry::kPathCongested) != 0) ++congested_looks;
  queue_seconds += queue;
  longest_queue_seconds = std::max(longest_queue_seconds, queue);
}

void Totals::add(const telemetry::TraceReceived& received) {
  raw_bytes += received.raw_bytes;
  wire_bytes += received.coded_bytes;
  ++blocks;
  if (received.took_ns == 0) return;
  ++decoded_blocks;
  decode_seconds += received.took_ns * 1e-9;
}

void Totals::add(const Totals& other) {
  raw_bytes += other.raw_bytes;
  wire_bytes += other.wire_bytes;
  blocks += other.blocks;
  add_each(&bytes_as, other.bytes_as);
  add_each(&blocks_as, other.blocks_as);
  in_vain_bytes += other.in_vain_bytes;
  add_each(&raw_bytes_because, other.raw_bytes_because);
  add_each(&blocks_because, other.blocks_because);
  add_each(&encode_seconds, other.encode_seconds);
  saved_seconds += other.saved_seconds;
  decoded_blocks += other.decoded_blocks;
  decode_seconds += other.decode_seconds;
  acknowledged_messages += other.acknowledged_messages;
  looks += other.looks;
  congested_looks += other.congested_looks;
  queue_seconds += other.queue_seconds;
  longest_queue_seconds = std::max(longest_queue_seconds, other.longest_queue_seconds);
}

}  // namespace netsense::report
