// Transfers that push the limits and are still right: the largest message, full rings of mixed sizes, any
// alignment, forks on the way.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <memory>

#include "tests/abi/environment.h"
#include "tests/abi/net_api.h"
#include "tests/catch.h"

namespace netsense::testing {
namespace {

constexpr size_t kKiB = 1024;

// Forked processes that do nothing but exist.
class Children {
 public:
  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }
  void add() {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (;;) ::pause();
    }
    children_.push_back(child);
  }

 private:
  std::vector<pid_t> children_;
};

}  // namespace

// Hidden: takes seconds and 2 GiB. CTest runs it under the label slow.
TEST_CASE("a message of 1 GiB arrives whole", "[.slow]") {
  const size_t bytes = size_t{1} << 30;
  const std::vector<uint8_t> from = pattern(bytes, 1);
  std::vector<uint8_t> to(bytes + 1, 0xEE);
  Plugin plugin(library_path());
  Connection connection(plugin);
  const std::vector requests{connection.post_recv(to.data(), bytes, nullptr),
                             connection.post_send(from.data(), bytes, nullptr)};
  CHECK(connection.wait(requests) == std::vector{bytes, bytes});
  // Not with ==, which would print both.
  CHECK(std::memcmp(from.data(), to.data(), bytes) == 0);
  CHECK(to[bytes] == 0xEE);
}

TEST_CASE("full rings of large and small messages arrive whole and in order") {
  constexpr std::array kSizes{size_t{0},       64 * kKiB - 1, 300 * kKiB,    size_t{1},  64 * kKiB,
                              1024 * kKiB + 3, size_t{128},   64 * kKiB + 1, 257 * kKiB, size_t{127}};
  constexpr size_t kRoom = 1100 * kKiB;
  std::vector<std::vector<uint8_t>> from;
  std::vector<std::vector<uint8_t>> to;
  Plugin plugin(library_path());
  Connection connection(plugin);
  const auto size_of = [&](size_t message) { return kSizes[message % kSizes.size()]; };
  std::vector<std::unique_ptr<Registration>> regions;
  std::vector<void*> sends;
  std::vector<void*> receives;
  // Both rings full, twice over.
  for (int round = 0; round < 2; ++round) {
    const auto messages_before = from.size();
    for (;;) {
      auto& next = from.emplace_back(floats(size_of(from.size()), static_cast<uint32_t>(from.size())));
      regions.push_back(
          std::make_unique<Registration>(connection.net(), connection.send_comm(), next.data(), next.size()));
      void* request = connection.isend(next.data(), next.size(), regions.back()->handle());
      if (request == nullptr) break;
      sends.push_back(request);
    }
    from.pop_back();
    regions.pop_back();
    const size_t posted = from.size() - messages_before;
    REQUIRE(posted >= 32);
    while (to.size() < from.size()) {
      to.emplace_back(kRoom, 0xEE);
      receives.push_back(connection.post_recv(to.back().data(), kRoom, nullptr));
    }
    std::vector<void*> requests(receives);
    requests.insert(requests.end(), sends.begin(), sends.end());
    const auto sizes = connection.wait(requests);
    for (size_t i = 0; i < posted; ++i) {
      const size_t message = messages_before + i;
      CAPTURE(message);
      REQUIRE(sizes[i] == size_of(message));
      REQUIRE(std::equal(from[message].begin(), from[message].end(), to[message].begin()));
      REQUIRE(to[message][sizes[i]] == 0xEE);
    }
    sends.clear();
    receives.clear();
  }
}

TEST_CASE("messages arrive whole from any address to any address") {
  const size_t bytes = GENERATE(values<size_t>({1, 9, 131, 5000, 70001}));
  CAPTURE(bytes);
  Plugin plugin(library_path());
  std::vector<uint8_t> to(bytes + 16);
  std::vector<uint8_t> from = floats(bytes + 8, 1);
  Connection connection(plugin);
  const Registration region(connection.net(), connection.send_comm(), from.data(), from.size());
  for (size_t from_at = 0; from_at < 8; ++from_at) {
    for (size_t to_at = 1; to_at < 9; ++to_at) {
      CAPTURE(from_at, to_at);
      const bool polled = (from_at + to_at) % 2 == 0;
      std::fill(to.begin(), to.end(), 0xEE);
      const std::vector requests{connection.post_recv(to.data() + to_at, bytes, nullptr, 0, polled),
                                 connection.post_send(from.data() + from_at, bytes, region.handle())};
      connection.wait(requests);
      REQUIRE(std::equal(from.begin() + static_cast<ptrdiff_t>(from_at),
                         from.begin() + static_cast<ptrdiff_t>(from_at + bytes),
                         to.begin() + static_cast<ptrdiff_t>(to_at)));
      REQUIRE(to[to_at - 1] == 0xEE);
      REQUIRE(to[to_at + bytes] == 0xEE);
    }
  }
}

TEST_CASE("a process that forks while messages are under way loses nothing") {
  const size_t bytes = 32 * kKiB * kKiB;
  std::vector<uint8_t> from = floats(bytes, 1);
  std::vector<uint8_t> to(bytes);
  Children children;
  Plugin plugin(library_path());
  Connection connection(plugin);
  const Registration region(connection.net(), connection.send_comm(), from.data(), bytes);
  std::vector requests{connection.post_send(from.data(), bytes, region.handle())};
  // The sockets are full by now, or soon: nothing has been received.
  children.add();
  requests.push_back(connection.post_recv(to.data(), bytes, nullptr));
  int done = 0;
  for (int i = 0; i < 3 && done == 0; ++i) {
    check(connection.net().test(requests[1], &done, nullptr), "test");
    children.add();
  }
  if (done != 0) requests.pop_back();
  connection.wait(requests);
  CHECK(std::memcmp(from.data(), to.data(), bytes) == 0);
}

// A data loader's worker, say, that uses NCCL by itself.
TEST_CASE("a forked child makes connections of its own, and leaves those it has inherited alone", "[.fork]") {
  Plugin plugin(library_path());
  auto connection = std::make_unique<Connection>(plugin);
  const auto moves = [](Connection& over) {
    const std::vector<uint8_t> from = pattern(size_t{1} << 20, 1);
    std::vector<uint8_t> to(from.size());
    over.wait(std::vector{over.post_recv(to.data(), to.size(), nullptr),
                          over.post_send(from.data(), from.size(), nullptr)});
    return from == to;
  };
  REQUIRE(moves(*connection));
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int status = 1;
    try {
      Connection own(plugin);
      if (moves(own)) status = 0;
    } catch (...) {
      status = 2;
    }
    connection.reset();
    ::_exit(status);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(moves(*connection));
}

}  // namespace netsense::testing
