#include "probe/tcp_info.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

namespace netsense::probe {
namespace {

// The field at this place, when the kernel returned that much.
template <typename T>
std::optional<T> field(std::span<const std::byte> bytes, size_t offset) {
  if (bytes.size() < offset + sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

std::optional<TcpInfo> parse_tcp_info(std::span<const std::byte> bytes) {
  constexpr size_t kShortest = offsetof(tcp_info, tcpi_total_retrans) + sizeof(tcp_info::tcpi_total_retrans);
  if (bytes.size() < kShortest) return std::nullopt;
  TcpInfo info;
  info.smoothed_rtt_us = *field<uint32_t>(bytes, offsetof(tcp_info, tcpi_rtt));
  info.congestion_window = *field<uint32_t>(bytes, offsetof(tcp_info, tcpi_snd_cwnd));
  info.segment_bytes = *field<uint32_t>(bytes, offsetof(tcp_info, tcpi_snd_mss));
  info.retransmitted_segments = *field<uint32_t>(bytes, offsetof(tcp_info, tcpi_total_retrans));
  info.bytes_acked = field<uint64_t>(bytes, offsetof(tcp_info, tcpi_bytes_acked));
  const auto segments = field<uint32_t>(bytes, offsetof(tcp_info, tcpi_segs_in));
  const auto data_segments = field<uint32_t>(bytes, offsetof(tcp_info, tcpi_data_segs_in));
  if (segments && data_segments) info.pure_acks_received = *segments - *data_segments;
  info.unsent_bytes = field<uint32_t>(bytes, offsetof(tcp_info, tcpi_notsent_bytes));
  info.min_rtt_us = field<uint32_t>(bytes, offsetof(tcp_info, tcpi_min_rtt));
  info.delivery_rate = field<uint64_t>(bytes, offsetof(tcp_info, tcpi_delivery_rate));
  if (info.delivery_rate) {
    // A bit field, which has no offset; on a kernel that knows the rate it tells whether to trust it.
    tcp_info start{};
    std::memcpy(&start, bytes.data(), kShortest);
    info.delivery_rate_app_limited = start.tcpi_delivery_rate_app_limited != 0;
  }
  info.busy_us = field<uint64_t>(bytes, offsetof(tcp_info, tcpi_busy_time));
  info.receiver_limited_us = field<uint64_t>(bytes, offsetof(tcp_info, tcpi_rwnd_limited));
  info.send_buffer_limited_us = field<uint64_t>(bytes, offsetof(tcp_info, tcpi_sndbuf_limited));
  info.delivered_segments = field<uint32_t>(bytes, offsetof(tcp_info, tcpi_delivered));
  info.ecn_marked_segments = field<uint32_t>(bytes, offsetof(tcp_info, tcpi_delivered_ce));
  info.bytes_retransmitted = field<uint64_t>(bytes, offsetof(tcp_info, tcpi_bytes_retrans));
  return info;
}

std::optional<TcpInfo> read_tcp_info(int fd) {
  tcp_info raw{};
  socklen_t size = sizeof raw;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &raw, &size) != 0) return std::nullopt;
  return parse_tcp_info({reinterpret_cast<const std::byte*>(&raw), size});
}

}  // namespace netsense::probe
