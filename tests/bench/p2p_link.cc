#include "tests/bench/p2p_link.h"

#include <stdexcept>

namespace netsense::bench {
namespace {

constexpr std::chrono::seconds kLimit{60};

perf::Socket open_control(Role role, const perf::Address& address, perf::Deadline deadline) {
  if (role == Role::kClient) return perf::connect_to(address, deadline);
  perf::Socket peer = perf::accept_from(perf::listen_on(address), deadline);
  if (!peer.is_open()) throw std::runtime_error("no client came to " + perf::format_address(address));
  return peer;
}

}  // namespace

Control::Control(Role role, const perf::Address& address)
    : socket_(open_control(role, address, deadline())) {}

perf::Deadline Control::deadline() {
  return std::chrono::steady_clock::now() + kLimit;
}

Link::Link(testing::Plugin& plugin, const Control& control) : net_(plugin.net()) {
  constexpr int kDevice = 0;
  engine::Handle mine{};
  void* listener = nullptr;
  testing::check(net_.listen(plugin.context(), kDevice, &mine, &listener), "listen");
  engine::Handle peers = control.exchange(mine);
  testing::poll_until("connect and accept", [&] {
    if (send_comm_ == nullptr) {
      testing::check(net_.connect(plugin.context(), kDevice, &peers, &send_comm_), "connect");
    }
    if (recv_comm_ == nullptr) testing::check(net_.accept(listener, &recv_comm_), "accept");
    return send_comm_ != nullptr && recv_comm_ != nullptr;
  });
  testing::check(net_.close_listen(listener), "closeListen");
}

Link::~Link() {
  static_cast<void>(net_.close_send(send_comm_));
  static_cast<void>(net_.close_recv(recv_comm_));
}

void* Link::isend(void* data, size_t bytes, void* region) {
  void* request = nullptr;
  testing::check(net_.isend(send_comm_, data, bytes, 0, region, nullptr, &request), "isend");
  return request;
}

void* Link::irecv(void* data, size_t bytes, void* region) {
  int tag = 0;
  void* phandle = nullptr;
  void* request = nullptr;
  testing::check(
      net_.irecv(
          recv_comm_,
          {.count = 1, .data = &data, .bytes = &bytes, .tags = &tag, .memory = &region, .phandles = &phandle},
          &request),
      "irecv");
  return request;
}

bool Link::test(void* request) {
  int done = 0;
  int bytes = 0;
  testing::check(net_.test(request, &done, &bytes), "test");
  return done != 0;
}

}  // namespace netsense::bench
