#include "plugin/telemetry/trace_parse.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <limits>

namespace netsense::telemetry {
namespace {

// Longer than any job, and short enough for everybody's arithmetic.
constexpr uint64_t kLongestNs = uint64_t{366} * 24 * 3600 * 1'000'000'000;
constexpr uint64_t kLatestUnixNs = uint64_t{1} << 62;
constexpr size_t kAlignment = 8;

// Seconds, bytes, bytes per second: nothing real is larger, and sums of it stay numbers.
constexpr float kLargest = 1e15F;

float sane(float value, float otherwise) {
  return value >= 0 && value <= kLargest ? value : otherwise;
}

void clean(TracePath* path) {
  for (float* value : {&path->rtprop_s, &path->rtt_s, &path->host_queue_s, &path->network_queue_s,
                       &path->delivery_bytes_per_s, &path->btlbw_bytes_per_s, &path->bdp_bytes}) {
    *value = sane(*value, 0);
  }
}

void clean(TraceBlock* block) {
  for (float* value : {&block->raw_s, &block->fast_s, &block->tight_s}) {
    *value = sane(*value, std::numeric_limits<float>::quiet_NaN());
  }
}

template <typename Record>
void clean(Record* /*record*/) {}

// False: it is too short for its kind.
template <typename Record>
bool give(std::span<const std::byte> bytes, TraceVisitor* visitor,
          void (TraceVisitor::*take)(const Record& record)) {
  if (bytes.size() < sizeof(Record)) return false;
  Record record;
  std::memcpy(&record, bytes.data(), sizeof record);
  clean(&record);
  (visitor->*take)(record);
  return true;
}

bool dispatch(TraceKind kind, std::span<const std::byte> bytes, TraceVisitor* visitor) {
  switch (kind) {
    case TraceKind::kOpened:
      return give(bytes, visitor, &TraceVisitor::on_opened);
    case TraceKind::kClosed:
      return give(bytes, visitor, &TraceVisitor::on_closed);
    case TraceKind::kPath:
      return give(bytes, visitor, &TraceVisitor::on_path);
    case TraceKind::kBlock:
      return give(bytes, visitor, &TraceVisitor::on_block);
    case TraceKind::kReceived:
      return give(bytes, visitor, &TraceVisitor::on_received);
    case TraceKind::kAcknowledged:
      return give(bytes, visitor, &TraceVisitor::on_acknowledged);
    case TraceKind::kLost:
      return give(bytes, visitor, &TraceVisitor::on_lost);
    case TraceKind::kFull:
      return give(bytes, visitor, &TraceVisitor::on_full);
  }
  return true;  // a later version's
}

TraceError parse_header(std::span<const std::byte> bytes, TraceHeader* header) {
  if (bytes.size() < kTraceMagic.size() ||
      std::memcmp(bytes.data(), kTraceMagic.data(), kTraceMagic.size()) != 0) {
    return TraceError::kForeign;
  }
  std::memcpy(header, bytes.data(), std::min(bytes.size(), sizeof *header));
  if (bytes.size() < offsetof(TraceHeader, pid)) return TraceError::kTruncated;
  if (header->version != kTraceVersion) return TraceError::kVersion;
  if (bytes.size() < std::max<size_t>(sizeof *header, header->header_bytes)) return TraceError::kTruncated;
  const bool good = header->header_bytes >= sizeof *header && header->header_bytes % kAlignment == 0 &&
                    header->unix_ns < kLatestUnixNs &&
                    header->steady_ns < std::numeric_limits<uint64_t>::max() - kLongestNs;
  return good ? TraceError::kNone : TraceError::kDamaged;
}

}  // namespace

const char* describe(TraceError error) {
  switch (error) {
    case TraceError::kNone:
      return "no error";
    case TraceError::kForeign:
      return "it is no trace of netsense";
    case TraceError::kVersion:
      return "another version of netsense wrote it";
    case TraceError::kTruncated:
      return "it is cut short";
    case TraceError::kDamaged:
      return "it is damaged";
  }
  return "unknown error";
}

TraceOutcome parse_trace(std::span<const std::byte> bytes, TraceHeader* header, TraceVisitor* visitor) {
  *header = {};
  TraceOutcome outcome{.error = parse_header(bytes, header)};
  if (outcome.error != TraceError::kNone) return outcome;
  outcome.position = header->header_bytes;
  while (outcome.position < bytes.size()) {
    const std::span<const std::byte> rest = bytes.subspan(outcome.position);
    TraceRecord record;
    if (rest.size() < sizeof record) {
      outcome.error = TraceError::kTruncated;
      return outcome;
    }
    std::memcpy(&record, rest.data(), sizeof record);
    const bool good = record.bytes >= sizeof record && record.bytes % kAlignment == 0 &&
                      record.steady_ns >= header->steady_ns &&
                      record.steady_ns - header->steady_ns <= kLongestNs;
    if (good && record.bytes > rest.size()) {
      outcome.error = TraceError::kTruncated;
      return outcome;
    }
    if (!good || !dispatch(record.kind, rest.first(record.bytes), visitor)) {
      outcome.error = TraceError::kDamaged;
      return outcome;
    }
    outcome.position += record.bytes;
    ++outcome.records;
  }
  return outcome;
}

}  // namespace netsense::telemetry
