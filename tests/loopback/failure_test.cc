// What happens when something goes wrong on a connection: a clear error on both ends, once in the log, again
// at every later call; and never wrong data.
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/catch.h"
#include "tests/loopback/scene.h"

namespace netsense::testing {
namespace {

using namespace std::chrono_literals;

size_t entries(const char* folder) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) count += entry.exists() ? 1 : 0;
  return count;
}

size_t own_threads() {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::ifstream(entry.path() / "comm") >> name;
    count += name.starts_with("netsense") ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("a receive smaller than the message is an error at both ends that names both sizes") {
  const Library12 net;
  const Ends ends(net);
  std::vector<uint8_t> small(1000);
  const auto data = pattern(2000, 1);
  void* received = net.post_recv(ends.recv, &small);
  (void)net.post_send(ends.send, data);
  CHECK(net.wait(received) == Result::kInvalidUsage);
  CHECK(warned_of("2000 bytes were sent and 1000 bytes posted"));
  // The sender hears of it and says it too.
  poll_until("error at the sender", [&] {
    void* request = nullptr;
    auto copy = data;
    return net->isend(ends.send, copy.data(), copy.size(), 0, nullptr, nullptr, &request) != Result::kOk ||
           request == nullptr;
  });
  poll_until("error at the sender", [&] { return warned_of("the receiver reports"); });
  // Once each, however often it is asked.
  const size_t logged = warnings().size();
  for (int i = 0; i < 5; ++i) {
    CHECK(net.wait(received) == Result::kInvalidUsage);
    CHECK(net.post_recv(ends.recv, &small) == nullptr);
  }
  CHECK(warnings().size() == logged);
  CHECK(logged == 2);
}

TEST_CASE("a large message at odd addresses arrives whole, and nothing behind it changes") {
  const Library12 net;
  const Ends ends(net);
  const size_t bytes = (size_t{64} << 20) + 1;
  const auto data = floats(bytes + 1, 2);
  std::vector<uint8_t> into(bytes + 3 + 64, 0xEE);
  void* buffer = into.data() + 3;
  size_t room = bytes + 32;
  int tag = 0;
  void* region = nullptr;
  void* received = nullptr;
  REQUIRE(net->irecv(ends.recv, 1, &buffer, &room, &tag, &region, nullptr, &received) == Result::kOk);
  void* sent = nullptr;
  void* from = net.register_memory(ends.send, data);
  REQUIRE(net->isend(ends.send, const_cast<uint8_t*>(data.data()) + 1, bytes, 0, from, nullptr, &sent) ==
          Result::kOk);
  int received_bytes = 0;
  int done = 0;
  poll_until("transfer", [&] {
    int is_done = 0;
    if (sent != nullptr && net->test(sent, &is_done, nullptr) == Result::kOk && is_done != 0) sent = nullptr;
    if (done == 0) REQUIRE(net->test(received, &done, &received_bytes) == Result::kOk);
    return sent == nullptr && done != 0;
  });
  CHECK(received_bytes == static_cast<int>(bytes));
  CHECK(std::memcmp(into.data() + 3, data.data() + 1, bytes) == 0);
  CHECK(into[2] == 0xEE);
  CHECK(into[bytes + 3] == 0xEE);
}

TEST_CASE("what was sent before an orderly close arrives, however late it is read") {
  const Library12 net;
  void* send_comm = nullptr;
  void* recv_comm = nullptr;
  net.pair(&send_comm, &recv_comm);
  const auto data = floats(100000, 3);
  void* region = net.register_memory(send_comm, data);
  std::vector<void*> sends;
  for (int i = 0; i < 20; ++i) sends.push_back(net.post_send(send_comm, data, region));
  std::thread closer([&] {
    for (void* sent : sends) {
      if (net.wait(sent) != Result::kOk) return;
    }
    static_cast<void>(net->close_send(send_comm));
  });
  std::this_thread::sleep_for(200ms);
  for (int i = 0; i < 20; ++i) {
    std::vector<uint8_t> into(data.size());
    void* received = net.post_recv(recv_comm, &into);
    REQUIRE(received != nullptr);
    CHECK(net.wait(received) == Result::kOk);
    CHECK(into == data);
  }
  closer.join();
  // And then there is nothing more to come.
  std::vector<uint8_t> into(10);
  CHECK(net.wait(net.post_recv(recv_comm, &into)) == Result::kRemoteError);
  CHECK(warned_of("closed the connection"));
  CHECK(net->close_recv(recv_comm) == Result::kOk);
}

TEST_CASE("a receiver that closes first is no error, until there is something more to send") {
  const Library12 net;
  void* send_comm = nullptr;
  void* recv_comm = nullptr;
  net.pair(&send_comm, &recv_comm);
  const auto data = pattern(1000, 5);
  std::vector<uint8_t> into(data.size());
  void* received = net.post_recv(recv_comm, &into);
  CHECK(net.wait(net.post_send(send_comm, data)) == Result::kOk);
  CHECK(net.wait(received) == Result::kOk);
  CHECK(net->close_recv(recv_comm) == Result::kOk);
  std::this_thread::sleep_for(100ms);
  CHECK(warnings().empty());
  poll_until("error of a later send", [&] {
    void* sent = net.post_send(send_comm, data);
    return sent == nullptr || net.wait(sent) != Result::kOk;
  });
  CHECK(warnings().size() == 1);
  CHECK(net->close_send(send_comm) == Result::kOk);
}

TEST_CASE("a killed peer is an error for the sender and the receiver") {
  // The child listens and accepts, sends a part of what we wait for, and is killed.
  std::array<int, 2> pipe_ends{};
  REQUIRE(::pipe(pipe_ends.data()) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const Library12 net;
    HandleBytes handle{};
    void* listener = net.listen(&handle);
    (void)!::write(pipe_ends[1], handle.data(), handle.size());
    void* comm = nullptr;
    (void)net.accept(listener, &comm);
    for (;;) ::pause();
  }
  const Library12 net;
  HandleBytes handle{};
  REQUIRE(::read(pipe_ends[0], handle.data(), handle.size()) == static_cast<ssize_t>(handle.size()));
  void* comm = nullptr;
  REQUIRE(net.connect(&handle, &comm) == Result::kOk);
  // More than the sockets hold: it cannot be done before the peer dies.
  const auto data = floats(size_t{64} << 20, 4);
  void* sent = net.post_send(comm, data, net.register_memory(comm, data));
  REQUIRE(sent != nullptr);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(net.wait(sent) == Result::kRemoteError);
  CHECK(warned_of("sending to peer 127.0.0.1"));
  CHECK(warnings().size() == 1);
  CHECK(net.wait(sent) == Result::kRemoteError);
  CHECK(net.post_send(comm, data) == nullptr);
  CHECK(warnings().size() == 1);
  CHECK(net->close_send(comm) == Result::kOk);
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
}

TEST_CASE("closing at any stage ends, and leaves no thread and no descriptor") {
  const size_t descriptors = entries("/proc/self/fd");
  for (int round = 0; round < 5; ++round) {
    const Library12 net;
    HandleBytes handle{};
    void* listener = net.listen(&handle);
    void* unused = nullptr;
    // Begun and never asked again, as NCCL does when it aborts.
    static_cast<void>(net->connect(nullptr, 0, handle.data(), &unused, nullptr));
    if (unused != nullptr) static_cast<void>(net->close_send(unused));
    CHECK(net->close_listen(listener) == Result::kOk);
    const Ends idle(net);
    const Ends busy(net);
    std::vector<uint8_t> into(1000);
    CHECK(net.post_recv(busy.recv, &into) != nullptr);
  }
  // A connection that was begun and given up is dropped by the next one, after twice the connect time limit.
  std::this_thread::sleep_for(2500ms);
  {
    const Library12 net;
    const Ends ends(net);
  }
  CHECK(own_threads() == 0);
  CHECK(entries("/proc/self/fd") <= descriptors);
}

TEST_CASE("a forked child does not keep the connection alive") {
  const Library12 net;
  void* send_comm = nullptr;
  void* recv_comm = nullptr;
  net.pair(&send_comm, &recv_comm);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (;;) ::pause();
  }
  CHECK(net->close_send(send_comm) == Result::kOk);
  std::vector<uint8_t> into(10);
  CHECK(net.wait(net.post_recv(recv_comm, &into)) == Result::kRemoteError);
  CHECK(net->close_recv(recv_comm) == Result::kOk);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace netsense::testing
