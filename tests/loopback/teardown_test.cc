// What NCCL does when it gives up with messages under way: it deregisters and frees its buffers before it
// closes the comms, and stops asking for connections without a word.
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "tests/catch.h"
#include "tests/loopback/scene.h"

namespace netsense::testing {
namespace {

constexpr size_t kBytes = size_t{8} << 20;

Result test_once(const Library12& net, void* request) {
  int done = 0;
  return net->test(request, &done, nullptr);
}

// A look at memory that the plugin is writing, which ThreadSanitizer would rightly report: nothing but the
// bytes themselves says that a message has begun to arrive.
[[gnu::noinline, gnu::no_sanitize("thread")]] uint8_t glance(const std::vector<uint8_t>& data) {
  return *static_cast<const volatile uint8_t*>(data.data());
}

}  // namespace

TEST_CASE("memory that is deregistered under a receive is not written any more") {
  const Library12 net;
  const std::vector<uint8_t> from = floats(kBytes, 1);
  const auto untouched = static_cast<uint8_t>(~from[0]);
  std::vector<uint8_t> to(kBytes, untouched);
  const Ends ends(net);
  void* region = net.register_memory(ends.recv, to);
  void* receiving = net.post_recv(ends.recv, &to);
  void* sending = net.post_send(ends.send, from, net.register_memory(ends.send, from));
  // Under way: something of it has arrived.
  poll_until("the message to begin", [&] {
    (void)test_once(net, sending);
    return test_once(net, receiving) != Result::kOk || glance(to) != untouched;
  });
  CHECK(net->dereg_mr(ends.recv, region) == Result::kOk);
  std::fill(to.begin(), to.end(), 3);
  for (int i = 0; i < 2000; ++i) {
    if (test_once(net, sending) != Result::kOk) break;
  }
  CHECK(std::all_of(to.begin(), to.end(), [](uint8_t byte) { return byte == 3; }));
  CHECK(test_once(net, receiving) != Result::kOk);
}

TEST_CASE("memory that is deregistered under a send is not read any more") {
  const Library12 net;
  const std::vector<uint8_t> message = floats(kBytes, 1);
  std::vector<uint8_t> from = message;
  std::vector<uint8_t> to(kBytes, 2);
  const Ends ends(net);
  void* region = net.register_memory(ends.send, from);
  void* into = net.register_memory(ends.recv, to);
  void* receiving = net.post_recv(ends.recv, &to);
  void* sending = net.post_send(ends.send, from, region);
  CHECK(net->dereg_mr(ends.send, region) == Result::kOk);
  std::fill(from.begin(), from.end(), 9);
  CHECK(test_once(net, sending) != Result::kOk);
  for (int i = 0; i < 2000; ++i) {
    if (test_once(net, receiving) != Result::kOk) break;
  }
  // From here on no thread of the plugin's writes to it.
  CHECK(net->dereg_mr(ends.recv, into) == Result::kOk);
  size_t later = 0;
  for (size_t i = 0; i < kBytes; ++i) later += to[i] == 9 && message[i] != 9 ? 1 : 0;
  CHECK(later == 0);
}

TEST_CASE("memory without a message under way may go while the comm goes on") {
  const Library12 net;
  const auto data = pattern(100000, 4);
  std::vector<uint8_t> to(data.size());
  std::vector<uint8_t> other(4096);
  const Ends ends(net);
  void* region = net.register_memory(ends.recv, other);
  void* receiving = net.post_recv(ends.recv, &to);
  CHECK(net->dereg_mr(ends.recv, region) == Result::kOk);
  void* sending = net.post_send(ends.send, data);
  poll_until("the message", [&] {
    int sent = 0;
    int received = 0;
    if (sending != nullptr) (void)net->test(sending, &sent, nullptr);
    if (sent != 0) sending = nullptr;
    REQUIRE(net->test(receiving, &received, nullptr) == Result::kOk);
    return received != 0;
  });
  CHECK(to == data);
}

TEST_CASE("a port scan does not turn a peer that comes after the time limit into an error") {
  const Library12 net;
  HandleBytes handle{};
  void* listener = net.listen(&handle);
  ::close(call(handle));
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
  while (std::chrono::steady_clock::now() < until) {  // NETSENSE_CONNECT_TIMEOUT is one second here
    void* comm = nullptr;
    REQUIRE(net->accept(listener, &comm, nullptr) == Result::kOk);
    REQUIRE(comm == nullptr);
    ::usleep(1000);
  }
  CHECK(warned_of("still waiting"));
  void* send_comm = nullptr;
  void* recv_comm = nullptr;
  REQUIRE(net.connect(&handle, &send_comm) == Result::kOk);
  REQUIRE(net.accept(listener, &recv_comm) == Result::kOk);
  CHECK(net->close_send(send_comm) == Result::kOk);
  CHECK(net->close_recv(recv_comm) == Result::kOk);
  CHECK(net->close_listen(listener) == Result::kOk);
}

}  // namespace netsense::testing
