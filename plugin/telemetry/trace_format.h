// The trace file, byte by byte: a header, then records of what a process sensed and decided.
// docs/tracing.md explains the values. All numbers are little-endian; floats are IEEE 754, NaN: unknown.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace netsense::telemetry {

static_assert(std::endian::native == std::endian::little, "the file is little-endian");

inline constexpr std::array<char, 8> kTraceMagic{'N', 'S', 'T', 'R', 'A', 'C', 'E', '\n'};
// Changes when a reader could no longer make sense of what it knows. A record of a new kind, or with more at
// its end, is no such change: readers take what they know of a record and skip the rest.
inline constexpr uint32_t kTraceVersion = 1;

struct TraceHeader {
  std::array<char, 8> magic = kTraceMagic;
  uint32_t version = kTraceVersion;
  uint32_t header_bytes = 0;  // where the records begin
  uint64_t pid = 0;
  // One moment by both clocks: records have the steady one.
  uint64_t unix_ns = 0;
  uint64_t steady_ns = 0;
  int32_t rank = -1;  // as the launcher's environment says; -1: unknown
  uint8_t mode = 0;   // config::Mode
  uint8_t codec = 0;  // config::CodecChoice
  std::array<uint8_t, 2> reserved{};
  std::array<char, 16> plugin_version{};  // texts are zero-filled
  std::array<char, 64> host_name{};
};

enum class TraceKind : uint8_t {
  kOpened = 1,
  kClosed = 2,
  kPath = 3,
  kBlock = 4,
  kReceived = 5,
  kAcknowledged = 6,
  kLost = 7,
  kFull = 8,
};

// Every record begins with this.
struct TraceRecord {
  uint16_t bytes = 0;  // of the record, this included; a multiple of 8
  TraceKind kind{};
  uint8_t stream = 0;       // within the connection
  uint32_t connection = 0;  // from 1 on, unique within the file
  uint64_t steady_ns = 0;
};

// A connection begins.
struct TraceOpened {
  TraceRecord record{.bytes = 128, .kind = TraceKind::kOpened};
  uint8_t direction = 0;  // telemetry::Direction
  uint8_t coding = 0;     // 1: both ends can compress
  std::array<uint8_t, 2> reserved{};
  uint32_t streams = 0;
  uint32_t block_bytes = 0;  // the largest this end sends
  uint32_t peer_block_bytes = 0;
  std::array<char, 80> peer{};  // address and port
  std::array<char, 16> device{};
};

// It ends; nothing beyond the record.
struct TraceClosed {
  TraceRecord record{.bytes = 16, .kind = TraceKind::kClosed};
};

inline constexpr uint8_t kPathCongested = 1;        // the network is the bottleneck, as far as that was seen
inline constexpr uint8_t kPathBackedUp = 2;         // the transport holds bytes back
inline constexpr uint8_t kPathReceiverLimited = 4;  // because the receiver takes no more
inline constexpr uint8_t kPathActive = 8;           // else the rates are memories

// What all streams of a sending connection say of its path: probe::Estimate. 0: unknown.
struct TracePath {
  TraceRecord record{.bytes = 56, .kind = TraceKind::kPath};
  uint8_t flags = 0;
  std::array<uint8_t, 3> reserved{};
  float rtprop_s = 0;
  float rtt_s = 0;
  float host_queue_s = 0;
  float network_queue_s = 0;
  float delivery_bytes_per_s = 0;
  float btlbw_bytes_per_s = 0;
  float bdp_bytes = 0;
  uint32_t in_flight_bytes = 0;
  uint32_t unsent_bytes = 0;
};

// A block of a message on its way out: what was decided, and what came of it.
struct TraceBlock {
  TraceRecord record{.bytes = 56, .kind = TraceKind::kBlock};
  uint8_t action = 0;         // adapt::Action that was decided
  uint8_t reason = 0;         // adapt::Reason
  uint8_t data_type = 0;      // kernels::DType it was coded as; 0 where it was not
  uint8_t traffic_class = 0;  // by message size
  uint32_t message = 0;       // its number, modulo 2^32
  uint32_t message_bytes = 0;
  uint32_t raw_bytes = 0;
  uint32_t coded_bytes = 0;  // on the wire, without the frame's header; raw_bytes: it went out as it is
  float raw_s = 0;           // expected, without what waits before it
  float fast_s = 0;
  float tight_s = 0;
  uint32_t took_ns = 0;  // deciding and encoding; 0 where nothing was coded
  uint32_t reserved = 0;
};

// A block that was delivered.
struct TraceReceived {
  TraceRecord record{.bytes = 40, .kind = TraceKind::kReceived};
  uint8_t codec = 0;  // core::Codec
  std::array<uint8_t, 3> reserved{};
  uint32_t message = 0;
  uint32_t raw_bytes = 0;
  uint32_t coded_bytes = 0;
  uint32_t took_ns = 0;  // decoding; 0 where there was nothing to decode
  uint32_t sent_us = 0;  // the sender's clock when it framed the block, modulo 2^32
};

// The receiver has acknowledged this many messages since the connection began.
struct TraceAcknowledged {
  TraceRecord record{.bytes = 24, .kind = TraceKind::kAcknowledged};
  uint64_t messages = 0;
};

// Records that were not written because they came faster than the writer takes them, since the last record of
// this kind. Of no connection.
struct TraceLost {
  TraceRecord record{.bytes = 24, .kind = TraceKind::kLost};
  uint64_t records = 0;
};

// The last record of a file that has reached its limit. Of no connection.
struct TraceFull {
  TraceRecord record{.bytes = 24, .kind = TraceKind::kFull};
  uint64_t limit_bytes = 0;
};

static_assert(sizeof(TraceHeader) == 128 && offsetof(TraceHeader, steady_ns) == 32 &&
              offsetof(TraceHeader, plugin_version) == 48);
static_assert(sizeof(TraceRecord) == 16 && sizeof(TraceOpened) == 128 && sizeof(TraceClosed) == 16 &&
              sizeof(TracePath) == 56 && sizeof(TraceBlock) == 56 && sizeof(TraceReceived) == 40 &&
              sizeof(TraceAcknowledged) == 24 && sizeof(TraceLost) == 24 && sizeof(TraceFull) == 24);
static_assert(offsetof(TracePath, rtprop_s) == 20 && offsetof(TraceBlock, raw_s) == 36 &&
              offsetof(TraceReceived, raw_bytes) == 24 && offsetof(TraceOpened, peer) == 32);
static_assert(std::is_trivially_copyable_v<TraceBlock> && std::is_trivially_copyable_v<TraceHeader>);

}  // namespace netsense::telemetry
