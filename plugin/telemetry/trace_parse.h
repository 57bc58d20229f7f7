// What a trace file says. The bytes may be anybody's: torn, cut short, or made to harm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "plugin/telemetry/trace_format.h"

namespace netsense::telemetry {

// Gets the records in the file's order. Numbers are as they stand there, but floats are never negative nor
// larger than 1e15, and times lie between the header's and a year later.
class TraceVisitor {
 public:
  TraceVisitor() = default;
  TraceVisitor(const TraceVisitor&) = delete;
  TraceVisitor& operator=(const TraceVisitor&) = delete;
  virtual ~TraceVisitor() = default;
  virtual void on_opened(const TraceOpened& /*opened*/) {}
  virtual void on_closed(const TraceClosed& /*closed*/) {}
  virtual void on_path(const TracePath& /*path*/) {}
  virtual void on_block(const TraceBlock& /*block*/) {}
  virtual void on_received(const TraceReceived& /*received*/) {}
  virtual void on_acknowledged(const TraceAcknowledged& /*acknowledged*/) {}
  virtual void on_lost(const TraceLost& /*lost*/) {}
  virtual void on_full(const TraceFull& /*full*/) {}
};

enum class TraceError : uint8_t {
  kNone,
  kForeign,    // no trace
  kVersion,    // of another version
  kTruncated,  // the last record is not whole: the writer was killed, or the file was cut
  kDamaged,
};
const char* describe(TraceError error);

struct TraceOutcome {
  TraceError error = TraceError::kNone;
  size_t position = 0;  // where reading ended
  uint64_t records = 0;
};

// Reads up to the end, or the first thing that makes no sense. kForeign and kVersion: nothing was read, and
// *header means nothing.
TraceOutcome parse_trace(std::span<const std::byte> bytes, TraceHeader* header, TraceVisitor* visitor);

// Of a zero-filled text; what a terminal would not print is '?'.
template <size_t Size>
std::string trace_text(const std::array<char, Size>& text) {
  std::string printable;
  for (const char c : text) {
    if (c == '\0') break;
    printable += c >= ' ' && c <= '~' ? c : '?';
  }
  return printable;
}

}  // namespace netsense::telemetry
