// The statistics file, byte by byte: one per process, written by the plugin through a shared mapping and read
// by netsense-top, netsense-exporter and whoever else likes. All numbers are 64 bits wide and little-endian,
// at multiples of 8, so that a reader sees each of them whole. docs/telemetry.md explains the values.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace netsense::telemetry {

static_assert(std::endian::native == std::endian::little, "the file is little-endian");
static_assert(std::atomic<uint64_t>::is_always_lock_free, "a lock would not be shared with the readers");

inline constexpr uint64_t kMagic = 0x5441'5453'4553'534e;  // "NSSESTAT" in memory order
// Changes with every change to this file that a reader would stumble over.
inline constexpr uint64_t kLayoutVersion = 1;
// Connections that are counted one by one. What comes when all slots are taken is counted together, in one
// more slot per direction.
inline constexpr size_t kOwnSlots = 1024;
inline constexpr size_t kSlots = kOwnSlots + 2;
inline constexpr const char* kFilePrefix = "netsense.";

using Word = std::atomic<uint64_t>;
// Text of up to 8 * Words bytes; the rest is zero.
template <size_t Words>
using Text = std::array<Word, Words>;

enum class Direction : uint64_t { kUnused = 0, kSend = 1, kReceive = 2 };
enum class State : uint64_t { kUnused = 0, kOpen = 1, kClosed = 2, kFailed = 3 };

// Written once, the magic last.
struct Header {
  Word magic;
  Word layout_version;
  Word header_bytes;  // where the slots begin
  Word slot_bytes;
  Word slots;
  Word pid;
  Word pid_namespace;          // inode of /proc/self/ns/pid: pid means something only there; 0: unknown
  Word process_start_ticks;    // field 22 of /proc/<pid>/stat; 0: unknown
  Word process_start_unix_ns;  // when the file was made
  Text<8> plugin_version;
  Text<16> host_name;
  Text<31> reserved;
};

// Upper bounds of the queue delay histogram: 10 us, 20 us, 40 us ... 10.5 s, and no bound.
inline constexpr size_t kDelayBuckets = 22;
inline constexpr uint64_t kFirstDelayBoundNs = 10'000;
constexpr uint64_t delay_bound_ns(size_t bucket) {
  return kFirstDelayBoundNs << bucket;
}
constexpr size_t delay_bucket(uint64_t ns) {
  if (ns <= kFirstDelayBoundNs) return 0;
  const auto bucket = static_cast<size_t>(std::bit_width((ns - 1) / kFirstDelayBoundNs));
  return bucket < kDelayBuckets ? bucket : kDelayBuckets - 1;
}

// One connection. A slot is used again only for a connection with the same peer host, device and direction,
// and goes on counting: no counter ever falls. Aligned to the cache's lines: two connections never share one.
struct alignas(64) Slot {
  // What follows up to revision_begun changes seldom. It is whole when revision_done, read first, equals
  // revision_begun, read last.
  Word revision_done;
  Word generation;  // connections that have used this slot
  Word direction;
  Word state;
  Word streams;
  Word mode;  // config::Mode
  Word opened_unix_ns;
  Word closed_unix_ns;  // 0 while open
  Text<10> peer;        // address and port
  Text<2> device;
  Text<19> error;  // the last one
  Word revision_begun;

  // Counters. A sender counts a block when it is framed, a receiver when it is delivered.
  Word messages;
  Word raw_bytes;                 // as NCCL has them
  Word wire_bytes;                // with the frames' headers
  Word blocks_ineligible;         // sent raw: too small, not registered, LL, or compression is off
  Word blocks_without_gain;       // sent raw: coding would not have been faster
  Word blocks_fast;               // sent as the fast tier has them
  Word blocks_tight;              // sent as the tight tier has them
  Word blocks_not_smaller;        // coded in vain and sent raw
  Word blocks_received_raw;       // of a receiver
  Word blocks_received_lossless;  // of a receiver: frames do not say which tier
  Word code_ns;
  Word decode_ns;
  Word errors;
  Word retransmits;  // segments
  Text<2> reserved;

  // As it was when last looked at; 0 until known.
  Word rtprop_ns;
  Word rtt_ns;
  Word btlbw_bytes_per_second;
  Word delivery_bytes_per_second;
  Word bdp_bytes;
  Word host_queue_ns;
  Word network_queue_ns;
  Word queue_delay_sum_ns;  // of all that is in the histogram

  std::array<Word, kDelayBuckets> queue_delay;
  Text<2> reserved_behind;
};

static_assert(sizeof(Word) == 8 && sizeof(Header) == 512 && sizeof(Slot) == 704);
static_assert(offsetof(Header, pid) == 40 && offsetof(Header, plugin_version) == 72 &&
              offsetof(Header, host_name) == 136);
static_assert(offsetof(Slot, peer) == 64 && offsetof(Slot, device) == 144 && offsetof(Slot, error) == 160 &&
              offsetof(Slot, revision_begun) == 312 && offsetof(Slot, messages) == 320 &&
              offsetof(Slot, rtprop_ns) == 448 && offsetof(Slot, queue_delay) == 512);
static_assert(sizeof(Header) % alignof(Slot) == 0);

inline constexpr size_t kFileBytes = sizeof(Header) + kSlots * sizeof(Slot);

}  // namespace netsense::telemetry
