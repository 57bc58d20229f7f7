// The kernel's view of a TCP connection, as far as the running kernel tells it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace netsense::probe {

// TCP_INFO (linux/tcp.h) grew over time, and a kernel fills in as much as it knows: what it does not know is
// absent. Times in microseconds, sizes in bytes, rates in bytes per second; counters run from the
// connection's beginning.
struct TcpInfo {
  uint32_t smoothed_rtt_us = 0;    // RFC 6298: a round trip counts for one eighth; 0 before the first
  uint32_t congestion_window = 0;  // segments
  uint32_t segment_bytes = 0;
  uint32_t retransmitted_segments = 0;
  std::optional<uint64_t> bytes_acked = std::nullopt;         // Linux 4.1
  std::optional<uint32_t> pure_acks_received = std::nullopt;  // segments without data; 4.6
  std::optional<uint32_t> unsent_bytes = std::nullopt;        // 4.6
  std::optional<uint32_t> min_rtt_us =
      std::nullopt;  // over the last 5 minutes, unless the system is set otherwise; 4.6
  std::optional<uint64_t> delivery_rate =
      std::nullopt;  // 4.9; keeps its value while delivery_rate_app_limited: do not use then
  std::optional<bool> delivery_rate_app_limited = std::nullopt;
  std::optional<uint64_t> busy_us = std::nullopt;              // with something to send; 4.10
  std::optional<uint64_t> receiver_limited_us = std::nullopt;  // of busy_us: the receiver's window was full
  std::optional<uint64_t> send_buffer_limited_us = std::nullopt;  // of busy_us: the send buffer was too small
  std::optional<uint32_t> delivered_segments = std::nullopt;      // 4.18
  std::optional<uint32_t> ecn_marked_segments =
      std::nullopt;  // of those, marked by a router that was congested; 4.18
  std::optional<uint64_t> bytes_retransmitted = std::nullopt;  // 4.19
};

// bytes: what getsockopt(TCP_INFO) returned. Nothing when that is shorter than any Linux since 2.6 returns.
std::optional<TcpInfo> parse_tcp_info(std::span<const std::byte> bytes);

// Nothing when it cannot be had: no TCP socket, or not open any more.
std::optional<TcpInfo> read_tcp_info(int fd);

}  // namespace netsense::probe
