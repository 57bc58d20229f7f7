// What a statistics file says. The bytes may be anybody's: torn, cut short, or made to harm.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plugin/telemetry/layout.h"

namespace netsense::telemetry {

struct ProcessInfo {
  uint64_t pid = 0;
  uint64_t pid_namespace = 0;
  uint64_t start_ticks = 0;
  uint64_t start_unix_ns = 0;
  std::string plugin_version;
  std::string host_name;
};

// The values of a Slot, under the same names.
struct Connection {
  size_t slot = 0;
  uint64_t generation = 0;
  Direction direction = Direction::kUnused;
  State state = State::kUnused;
  uint64_t streams = 0;
  uint64_t mode = 0;
  uint64_t opened_unix_ns = 0;
  uint64_t closed_unix_ns = 0;
  std::string peer;
  std::string device;
  std::string error;
  uint64_t messages = 0;
  uint64_t raw_bytes = 0;
  uint64_t wire_bytes = 0;
  uint64_t blocks_ineligible = 0;
  uint64_t blocks_without_gain = 0;
  uint64_t blocks_fast = 0;
  uint64_t blocks_tight = 0;
  uint64_t blocks_not_smaller = 0;
  uint64_t blocks_received_raw = 0;
  uint64_t blocks_received_lossless = 0;
  uint64_t code_ns = 0;
  uint64_t decode_ns = 0;
  uint64_t errors = 0;
  uint64_t retransmits = 0;
  uint64_t rtprop_ns = 0;
  uint64_t rtt_ns = 0;
  uint64_t btlbw_bytes_per_second = 0;
  uint64_t delivery_bytes_per_second = 0;
  uint64_t bdp_bytes = 0;
  uint64_t host_queue_ns = 0;
  uint64_t network_queue_ns = 0;
  uint64_t queue_delay_sum_ns = 0;
  std::array<uint64_t, kDelayBuckets> queue_delay{};
  // Whether these are the connections that found no slot of their own.
  bool overflow = false;

  // Sent without trying to code them, or received as they were sent.
  [[nodiscard]] uint64_t blocks_raw() const {
    return blocks_ineligible + blocks_without_gain + blocks_received_raw;
  }
};

struct Snapshot {
  ProcessInfo process;
  std::vector<Connection> connections;  // of the slots in use
  size_t torn = 0;                      // slots that were being changed, and are left out
};

enum class ParseError : uint8_t { kNone, kForeign, kVersion, kDamaged };
const char* describe(ParseError error);

// Only the header, which may be all there is of `bytes`.
ParseError parse_process(std::span<const std::byte> bytes, ProcessInfo* process);
// Texts come with what a terminal would not print as '?'.
ParseError parse_stats(std::span<const std::byte> bytes, Snapshot* snapshot);

}  // namespace netsense::telemetry
