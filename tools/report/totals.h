// What a connection, or several, have carried in all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "plugin/adapt/action.h"
#include "plugin/telemetry/trace_format.h"

namespace netsense::report {

inline constexpr size_t kActions = 3;  // adapt::Action
// adapt::Reason, and one more for those of later versions.
inline constexpr size_t kReasons = static_cast<size_t>(adapt::Reason::kCoded) + 2;

struct Totals {
  // Of blocks, sent or received.
  uint64_t raw_bytes = 0;   // as NCCL has them
  uint64_t wire_bytes = 0;  // without the frames' headers
  uint64_t blocks = 0;
  // Of blocks sent, by what they went out as.
  std::array<uint64_t, kActions> bytes_as{};  // raw bytes
  std::array<uint64_t, kActions> blocks_as{};
  // Of those that went out raw: coded in vain, or why not coded.
  uint64_t in_vain_bytes = 0;
  std::array<uint64_t, kReasons> raw_bytes_because{};
  std::array<uint64_t, kReasons> blocks_because{};  // of all blocks sent
  // Encoding, by the codec that was tried.
  std::array<double, kActions> encode_seconds{};
  // What the model expected to save by the codecs it chose: raw less chosen, over all of its blocks.
  double saved_seconds = 0;
  // Of blocks received.
  uint64_t decoded_blocks = 0;
  double decode_seconds = 0;
  uint64_t acknowledged_messages = 0;
  // Of looks at the path.
  uint64_t looks = 0;
  uint64_t congested_looks = 0;
  double queue_seconds = 0;  // of host and network together, added up over the looks
  double longest_queue_seconds = 0;

  void add(const telemetry::TracePath& path);
  void add(const telemetry::TraceBlock& block);
  void add(const telemetry::TraceReceived& received);
  void add(const Totals& other);

  [[nodiscard]] double mean_queue_seconds() const {
    return looks == 0 ? 0 : queue_seconds / static_cast<double>(looks);
  }
  // Raw over wire bytes; 0: nothing was carried.
  [[nodiscard]] double ratio() const {
    return wire_bytes == 0 ? 0 : static_cast<double>(raw_bytes) / static_cast<double>(wire_bytes);
  }
};

// As an index into arrays of that size.
size_t action_index(uint8_t action);
size_t reason_index(uint8_t reason);
// What a block went out as: raw, when it did not shrink.
size_t sent_as(const telemetry::TraceBlock& block);

}  // namespace netsense::report
