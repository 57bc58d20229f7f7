// What the kernel says about a socket, and what becomes of it.
#include <arpa/inet.h>
#include <linux/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "probe/tcp_sampler.h"
#include "tests/catch.h"
#include "tests/unit/probe/link_model.h"

namespace netsense::probe {
namespace {

std::span<const std::byte> first(const tcp_info& info, size_t bytes) {
  return {reinterpret_cast<const std::byte*>(&info), bytes};
}

tcp_info filled() {
  tcp_info info{};
  info.tcpi_rtt = 1234;
  info.tcpi_snd_mss = 1448;
  info.tcpi_snd_cwnd = 77;
  info.tcpi_total_retrans = 3;
  info.tcpi_bytes_acked = uint64_t{1} << 40;
  info.tcpi_segs_in = 100;
  info.tcpi_data_segs_in = 40;
  info.tcpi_notsent_bytes = 555;
  info.tcpi_min_rtt = 99;
  info.tcpi_delivery_rate = 1'000'000;
  info.tcpi_delivery_rate_app_limited = 1;
  info.tcpi_busy_time = 10;
  info.tcpi_rwnd_limited = 11;
  info.tcpi_sndbuf_limited = 12;
  info.tcpi_delivered = 13;
  info.tcpi_delivered_ce = 14;
  info.tcpi_bytes_retrans = 15;
  return info;
}

TEST_CASE("every field of a new kernel's answer is taken") {
  const auto info = parse_tcp_info(first(filled(), sizeof(tcp_info)));
  REQUIRE(info);
  CHECK(info->smoothed_rtt_us == 1234);
  CHECK(info->segment_bytes == 1448);
  CHECK(info->congestion_window == 77);
  CHECK(info->retransmitted_segments == 3);
  CHECK(info->bytes_acked == uint64_t{1} << 40);
  CHECK(info->pure_acks_received == 60U);
  CHECK(info->unsent_bytes == 555U);
  CHECK(info->min_rtt_us == 99U);
  CHECK(info->delivery_rate == 1'000'000U);
  CHECK(info->delivery_rate_app_limited == true);
  CHECK(info->busy_us == 10U);
  CHECK(info->receiver_limited_us == 11U);
  CHECK(info->send_buffer_limited_us == 12U);
  CHECK(info->delivered_segments == 13U);
  CHECK(info->ecn_marked_segments == 14U);
  CHECK(info->bytes_retransmitted == 15U);
}

TEST_CASE("an older kernel's shorter answer leaves out what it does not know") {
  const tcp_info full = filled();
  CHECK_FALSE(parse_tcp_info(first(full, 0)));
  CHECK_FALSE(parse_tcp_info(first(full, offsetof(tcp_info, tcpi_total_retrans))));

  const auto linux_3 = parse_tcp_info(first(full, offsetof(tcp_info, tcpi_pacing_rate)));
  REQUIRE(linux_3);
  CHECK(linux_3->smoothed_rtt_us == 1234);
  CHECK_FALSE(linux_3->bytes_acked);
  CHECK_FALSE(linux_3->pure_acks_received);
  CHECK_FALSE(linux_3->unsent_bytes);
  CHECK_FALSE(linux_3->min_rtt_us);
  CHECK_FALSE(linux_3->delivery_rate);
  CHECK_FALSE(linux_3->delivery_rate_app_limited);

  const auto linux_4_9 = parse_tcp_info(first(full, offsetof(tcp_info, tcpi_busy_time)));
  REQUIRE(linux_4_9);
  CHECK(linux_4_9->delivery_rate == 1'000'000U);
  CHECK_FALSE(linux_4_9->busy_us);
  CHECK_FALSE(linux_4_9->delivered_segments);

  // Half a field is no field.
  const auto cut = parse_tcp_info(first(full, offsetof(tcp_info, tcpi_busy_time) + 4));
  REQUIRE(cut);
  CHECK_FALSE(cut->busy_us);
}

TEST_CASE("no length of answer is read beyond its end") {
  const tcp_info full = filled();
  for (size_t bytes = 0; bytes <= sizeof full; ++bytes) {
    // Its own allocation, so that AddressSanitizer sees a read beyond it.
    const auto* begin = reinterpret_cast<const std::byte*>(&full);
    const std::vector<std::byte> answer(begin, begin + bytes);
    CHECK(parse_tcp_info(answer).has_value() == (bytes >= offsetof(tcp_info, tcpi_pacing_rate)));
  }
}

// The kernel's smoothing (RFC 6298), in its own fixed point: eighths of a microsecond.
struct Kernel {
  uint32_t eighths = 0;
  TcpInfo info{.pure_acks_received = 0xffff'fff0, .min_rtt_us = 1};  // wraps soon

  void acknowledge(uint32_t rtt_us) {
    eighths = eighths == 0 ? rtt_us * 8 : eighths - eighths / 8 + rtt_us;
    info.smoothed_rtt_us = eighths / 8;
    info.pure_acks_received = *info.pure_acks_received + 1;
  }
};

double interpret(TcpInterpreter& interpreter, const Kernel& kernel, int look) {
  const auto bytes = static_cast<uint64_t>(look) * 1000;
  const auto sample = interpreter.interpret(at(look * 1e-3), 1'000'000, 1'000'000 - bytes, kernel.info);
  REQUIRE(sample.rtt);
  return to_seconds(*sample.rtt) * 1e6;
}

TEST_CASE("round trips since the last look are separated from those before") {
  Kernel kernel;
  TcpInterpreter interpreter;
  kernel.acknowledge(20'000);
  CHECK(interpret(interpreter, kernel, 0) == Approx(20'000));
  // One acknowledgement moves the kernel's value by an eighth; the sample has all of it.
  kernel.acknowledge(1000);
  CHECK(kernel.info.smoothed_rtt_us > 17'000);
  CHECK(interpret(interpreter, kernel, 1) == Approx(1000).margin(10));
  for (int look = 2; look < 50; ++look) {
    std::vector<uint32_t> seen;
    for (int ack = 0; ack <= look % 5; ++ack) {
      seen.push_back(static_cast<uint32_t>(3000 + 1000 * (look % 7) + 10 * ack));
      kernel.acknowledge(seen.back());
    }
    const double mean = std::accumulate(seen.begin(), seen.end(), 0.0) / static_cast<double>(seen.size());
    CHECK(interpret(interpreter, kernel, look) == Approx(mean).margin(30));
  }
}

TEST_CASE("without a count of acknowledgements the kernel's own mean has to do") {
  Kernel kernel;
  TcpInterpreter interpreter;
  kernel.acknowledge(20'000);
  kernel.info.pure_acks_received.reset();
  interpret(interpreter, kernel, 0);
  kernel.info.smoothed_rtt_us = 17'625;
  CHECK(interpret(interpreter, kernel, 1) == Approx(17'625));
}

TEST_CASE("no round trip is reported when nothing was delivered") {
  TcpInterpreter interpreter;
  const TcpInfo info{.smoothed_rtt_us = 500, .pure_acks_received = 10};
  CHECK(interpreter.interpret(at(0), 1000, 1000, info).rtt);
  CHECK_FALSE(interpreter.interpret(at(1), 2000, 2000, info).rtt);
  CHECK(interpreter.interpret(at(2), 2000, 1000, info).rtt);
  CHECK_FALSE(TcpInterpreter().interpret(at(0), 0, 0, TcpInfo{}).rtt);
}

TEST_CASE("sizes come from the socket's queue and never contradict each other") {
  TcpInterpreter interpreter;
  Sample sample = interpreter.interpret(at(0), 10'000, 4000, TcpInfo{.unsent_bytes = 1500});
  CHECK(sample.delivered_bytes == 6000);
  CHECK(sample.unsent_bytes == 1500);
  CHECK(sample.in_flight() == 2500);
  // Read a moment later than the rest.
  sample = interpreter.interpret(at(1), 10'000, 1000, TcpInfo{.unsent_bytes = 1500});
  CHECK(sample.unsent_bytes == 1000);
  CHECK(sample.in_flight() == 0);
  // The handshake's own bytes.
  CHECK(interpreter.interpret(at(2), 0, 1, TcpInfo{}).delivered_bytes == 0);
}

TEST_CASE("the kernel's shortest round trip is told when it changes") {
  TcpInterpreter interpreter;
  CHECK_FALSE(interpreter.interpret(at(0), 1, 1, TcpInfo{.min_rtt_us = UINT32_MAX}).shortest_rtt);
  CHECK(interpreter.interpret(at(1), 1, 1, TcpInfo{.min_rtt_us = 70}).shortest_rtt ==
        std::chrono::microseconds(70));
  CHECK_FALSE(interpreter.interpret(at(2), 1, 1, TcpInfo{.min_rtt_us = 70}).shortest_rtt);
  CHECK(interpreter.interpret(at(3), 1, 1, TcpInfo{.min_rtt_us = 60}).shortest_rtt);
}

TEST_CASE("a receiver that is waited for is told, and for how long") {
  TcpInterpreter interpreter;
  CHECK_FALSE(interpreter.interpret(at(0), 1, 1, TcpInfo{.receiver_limited_us = 5000}).receiver_limited);
  CHECK(interpreter.interpret(at(0.010), 1, 1, TcpInfo{.receiver_limited_us = 9000}).receiver_limited);
  CHECK(interpreter.interpret(at(0.014), 1, 1, TcpInfo{.receiver_limited_us = 9000}).receiver_limited);
  CHECK_FALSE(interpreter.interpret(at(0.1), 1, 1, TcpInfo{.receiver_limited_us = 9000}).receiver_limited);
}

TEST_CASE("a real connection is sampled") {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(listener, 1) == 0);
  REQUIRE(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  const int sender = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(::connect(sender, reinterpret_cast<sockaddr*>(&address), size) == 0);
  const int receiver = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  REQUIRE(receiver >= 0);

  TcpSampler sampler(sender);
  std::vector<char> data(100'000);
  REQUIRE(::send(sender, data.data(), data.size(), 0) == static_cast<ssize_t>(data.size()));
  const auto early = sampler.sample(Clock::now(), data.size());
  REQUIRE(early);
  CHECK(early->accepted_bytes == data.size());
  CHECK(early->delivered_bytes + early->unsent_bytes + early->in_flight() == data.size());

  REQUIRE(::recv(receiver, data.data(), data.size(), MSG_WAITALL) == static_cast<ssize_t>(data.size()));
  // The acknowledgement may take a moment.
  auto late = early;
  bool rtt_seen = early->rtt.has_value();
  while (late && late->delivered_bytes < data.size()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    late = sampler.sample(Clock::now(), data.size());
    rtt_seen = rtt_seen || (late && late->rtt);
  }
  REQUIRE(late);
  CHECK(rtt_seen);
  CHECK(late->in_flight() == 0);
  CHECK(sampler.info().segment_bytes > 500);
  CHECK(sampler.info().smoothed_rtt_us > 0);

  for (const int fd : {sender, receiver, listener}) ::close(fd);
  CHECK_FALSE(sampler.sample(Clock::now(), data.size()));
}

}  // namespace
}  // namespace netsense::probe
