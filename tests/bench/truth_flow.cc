// A TCP bulk sender that senses its own connection, and the receiver for it. The sender prints what probe/
// concludes as JSON lines, with CLOCK_MONOTONIC as their time, for tools/bench truth to hold against the
// truth.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "plugin/core/fd.h"
#include "probe/path_estimator.h"
#include "probe/tcp_sampler.h"

namespace netsense::bench {
namespace {

using core::Fd;
using probe::Clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr int kWritesPerLook = 32;

struct Options {
  std::string receive;
  std::string send;
  int window = 0;
  std::string congestion_control;
  double seconds = 5;
  int sample_us = 250;
  int report_ms = 20;
};

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_in parse(const std::string& text) {
  const size_t colon = text.rfind(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (colon == std::string::npos ||
      ::inet_pton(AF_INET, text.substr(0, colon).c_str(), &address.sin_addr) != 1) {
    throw std::invalid_argument("not an IPv4 HOST:PORT: " + text);
  }
  address.sin_port = htons(static_cast<uint16_t>(std::stoi(text.substr(colon + 1))));
  return address;
}

Fd open_socket() {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) fail("socket");
  return fd;
}

void set(const Fd& fd, int level, int option, int64_t value, const char* what) {
  const int number = static_cast<int>(value);
  if (::setsockopt(fd.get(), level, option, &number, sizeof number) != 0) fail(what);
}

// Reads and forgets what any number of senders send, until killed.
// window: what the senders may have in flight each, in bytes; 0: what the kernel finds right.
[[noreturn]] void receive(const sockaddr_in& address, int window) {
  Fd listener = open_socket();
  set(listener, SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR");
  if (window != 0) {
    // The accepted sockets inherit both. A buffer of a given size keeps the kernel from raising the limit.
    set(listener, SOL_SOCKET, SO_RCVBUFFORCE, std::min(2 * int64_t{window}, int64_t{INT_MAX / 2}),
        "SO_RCVBUFFORCE");
    set(listener, IPPROTO_TCP, TCP_WINDOW_CLAMP, window, "TCP_WINDOW_CLAMP");
  }
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("bind");
  if (::listen(listener.get(), 64) != 0) fail("listen");
  std::vector<Fd> peers;
  std::vector<pollfd> waits{{listener.get(), POLLIN, 0}};
  std::vector<char> buffer(size_t{1} << 20);
  for (;;) {
    if (::poll(waits.data(), waits.size(), -1) < 0) fail("poll");
    for (size_t i = 1; i < waits.size(); ++i) {
      if (waits[i].revents != 0 && ::recv(waits[i].fd, buffer.data(), buffer.size(), MSG_DONTWAIT) == 0) {
        waits[i].events = 0;
      }
    }
    if (waits[0].revents == 0) continue;
    peers.emplace_back(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!peers.back().valid()) fail("accept");
    waits.push_back({peers.back().get(), POLLIN, 0});
  }
}

class Sender {
 public:
  explicit Sender(const Options& options)
      : options_(options), fd_(connect()), sampler_(fd_.get()), data_(size_t{128} << 10) {}

  void run() {
    const auto end = Clock::now() + probe::from_seconds(options_.seconds);
    auto next_report = Clock::now();
    for (auto now = Clock::now(); now < end; now = Clock::now()) {
      look(now);
      write();
      if (now >= next_report) {
        next_report = now + milliseconds(options_.report_ms);
        report(now);
      }
      std::this_thread::sleep_until(now + microseconds(options_.sample_us));
    }
  }

 private:
  // As estimator.wants_drain() describes it.
  enum class Phase : uint8_t { kSending, kDraining, kUnloaded };

  Fd connect() {
    const sockaddr_in address = parse(options_.send);
    const auto deadline = Clock::now() + std::chrono::seconds(10);
    for (;;) {
      Fd fd = open_socket();
      const std::string& name = options_.congestion_control;
      if (!name.empty() && ::setsockopt(fd.get(), IPPROTO_TCP, TCP_CONGESTION, name.data(),
                                        static_cast<socklen_t>(name.size())) != 0) {
        fail("TCP_CONGESTION");
      }
      if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
      // The receiver may not be listening yet.
      if (errno != ECONNREFUSED || Clock::now() > deadline) fail("connect");
      std::this_thread::sleep_for(milliseconds(20));
    }
  }

  void look(probe::Time now) {
    const auto sample = sampler_.sample(now, written_);
    if (!sample) fail("TCP_INFO");
    estimator_.update(*sample);
    if (phase_ == Phase::kSending && estimator_.wants_drain(now)) phase_ = Phase::kDraining;
    if (sample->delivered_bytes < written_ || phase_ == Phase::kSending) return;
    phase_ = phase_ == Phase::kDraining ? Phase::kUnloaded : Phase::kSending;
    if (phase_ == Phase::kUnloaded) put(probe::PathEstimator::kUnloadedBytes);
  }

  void write() {
    if (phase_ != Phase::kSending) return;
    // A limit, as a receiver that is as fast as this loop would keep it from looking.
    for (int i = 0; i < kWritesPerLook && put(data_.size()); ++i) {
    }
  }

  bool put(size_t bytes) {
    const ssize_t sent = ::send(fd_.get(), data_.data(), bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) fail("send");
    if (sent <= 0) return false;
    written_ += static_cast<uint64_t>(sent);
    return true;
  }

  void report(probe::Time now) const {
    const probe::Estimate estimate = estimator_.estimate(now);
    const nlohmann::ordered_json line{{"at", probe::to_seconds(now.time_since_epoch())},
                                      {"rtprop", probe::to_seconds(estimate.rtprop)},
                                      {"rtt", probe::to_seconds(estimate.rtt)},
                                      {"delivery_rate", estimate.delivery_rate},
                                      {"btlbw", estimate.btlbw},
                                      {"host_queue", probe::to_seconds(estimate.host_queue)},
                                      {"network_queue", probe::to_seconds(estimate.network_queue)},
                                      {"segment_bytes", sampler_.info().segment_bytes}};
    fmt::print("{}\n", line.dump());
  }

  const Options& options_;
  Fd fd_;
  probe::TcpSampler sampler_;
  probe::PathEstimator estimator_;
  std::vector<char> data_;
  Phase phase_ = Phase::kSending;
  uint64_t written_ = 0;
};

int main_of(int argc, char** argv) {
  CLI::App app("Sends in bulk over TCP and prints what it senses, or receives.");
  Options options;
  auto* receiving =
      app.add_option("--receive", options.receive, "HOST:PORT to receive on, from any number of senders");
  auto* sending = app.add_option("--send", options.send, "HOST:PORT to send to");
  receiving->excludes(sending);
  app.require_option(1, 0);
  app.add_option("--window", options.window, "With --receive: bytes that each sender may have in flight");
  app.add_option("--congestion-control", options.congestion_control, "Default: the system's");
  app.add_option("--seconds", options.seconds, "How long to send")->check(CLI::PositiveNumber);
  app.add_option("--sample-us", options.sample_us, "Between two looks")->check(CLI::PositiveNumber);
  app.add_option("--report-ms", options.report_ms, "Between two lines")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  if (!options.receive.empty()) receive(parse(options.receive), options.window);
  Sender(options).run();
  return 0;
}

}  // namespace
}  // namespace netsense::bench

int main(int argc, char** argv) {
  try {
    return netsense::bench::main_of(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "truth_flow: %s\n", error.what());
    return 1;
  }
}
