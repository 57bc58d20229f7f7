// Every version of ncclNet, through its exported table only: what it takes for NCCL to move data.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <vector>

#include "tests/abi/environment.h"
#include "tests/abi/net_api.h"
#include "tests/catch.h"

namespace netsense::testing {
namespace {

constexpr size_t kKiB = 1024;
constexpr uint8_t kUntouched = 0xA5;

ptrdiff_t running_threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

int any_version() {
  return GENERATE(from_range(net_versions()));
}

}  // namespace

TEST_CASE("devices have properties that NCCL can use") {
  const Plugin plugin(library_path(), any_version());
  CAPTURE(plugin.net().version());
  REQUIRE(plugin.devices() >= 1);
  for (int device = 0; device < plugin.devices(); ++device) {
    const engine::DeviceProperties properties = plugin.properties(device);
    CHECK(!properties.name.empty());
    CHECK((properties.pci_path.empty() || std::filesystem::exists(properties.pci_path)));
    CHECK((properties.pointer_support & static_cast<int>(engine::MemoryKind::kHost)) != 0);
    CHECK(properties.speed > 0);
    CHECK(properties.max_comms > 0);
    CHECK(properties.max_recvs >= 1);
    CHECK(properties.latency >= 0);
    CHECK(properties.device_type == 0);
    CHECK(properties.max_p2p_bytes >= size_t{1} << 30);
    CHECK(properties.max_multi_request_size >= 1);
  }
}

TEST_CASE("messages of every size arrive whole") {
  Plugin plugin(library_path(), any_version());
  CAPTURE(plugin.net().version());
  Connection connection(plugin);
  const auto bytes = GENERATE(
      values<size_t>({0, 1, 127, 128, 129, 64 * kKiB - 1, 64 * kKiB, 64 * kKiB + 1, 3 * kKiB * kKiB}));
  CAPTURE(bytes);
  std::vector<uint8_t> from = pattern(bytes, static_cast<uint32_t>(bytes));
  std::vector<uint8_t> to(bytes + 1, kUntouched);
  from.push_back(0);  // so that an empty message has an address too
  const Registration sent(connection.net(), connection.send_comm(), from.data(), from.size());
  const Registration received(connection.net(), connection.recv_comm(), to.data(), to.size());

  const auto sizes = connection.wait(std::vector{connection.post_recv(to.data(), bytes, received.handle()),
                                                 connection.post_send(from.data(), bytes, sent.handle())});

  CHECK(sizes == std::vector{bytes, bytes});
  CHECK(std::equal(to.begin(), to.end() - 1, from.begin()));
  CHECK(to.back() == kUntouched);
}

TEST_CASE("a receive may be larger than the message and tells the true size") {
  Plugin plugin(library_path(), any_version());
  CAPTURE(plugin.net().version());
  Connection connection(plugin);
  const bool completion_optional = GENERATE(false, true);  // NCCL's hint for LL and LL128
  CAPTURE(completion_optional);
  const std::vector<uint8_t> from = pattern(100 * kKiB + 7, 1);
  std::vector<uint8_t> to(512 * kKiB, kUntouched);
  const Registration received(connection.net(), connection.recv_comm(), to.data(), to.size());

  const std::vector requests{
      connection.post_recv(to.data(), to.size(), received.handle(), 0, completion_optional),
      connection.post_send(from.data(), from.size(), nullptr)};

  CHECK(connection.wait(requests) == std::vector{from.size(), from.size()});
  CHECK(std::equal(from.begin(), from.end(), to.begin()));
  CHECK(std::all_of(to.begin() + static_cast<ptrdiff_t>(from.size()), to.end(),
                    [](uint8_t byte) { return byte == kUntouched; }));
}

TEST_CASE("thirty-two messages can be under way, and arrive in order") {
  constexpr size_t kMessages = 32;
  Plugin plugin(library_path(), any_version());
  CAPTURE(plugin.net().version());
  Connection connection(plugin);
  std::vector<std::vector<uint8_t>> from;
  std::vector<std::vector<uint8_t>> to(kMessages, std::vector<uint8_t>(20 * kKiB));
  std::vector<void*> requests;
  requests.reserve(2 * kMessages);
  // A plugin has one try to take each: NCCL counts on 32.
  for (auto& room : to) requests.push_back(connection.irecv(room.data(), room.size(), nullptr));
  for (size_t i = 0; i < kMessages; ++i) {
    from.push_back(pattern(1 + i * 611, static_cast<uint32_t>(i)));
    requests.push_back(connection.isend(from[i].data(), from[i].size(), nullptr));
  }
  REQUIRE(std::count(requests.begin(), requests.end(), nullptr) == 0);

  const auto sizes = connection.wait(requests);

  for (size_t i = 0; i < kMessages; ++i) {
    CAPTURE(i);
    CHECK(sizes[i] == from[i].size());
    CHECK(std::equal(from[i].begin(), from[i].end(), to[i].begin()));
  }
}

TEST_CASE("a full ring hands back no request, and takes requests again later") {
  constexpr size_t kTooMany = 100000;
  Plugin plugin(library_path(), any_version());
  CAPTURE(plugin.net().version());
  Connection connection(plugin);
  uint8_t from = 1;
  std::vector<uint8_t> to(kTooMany);
  std::vector<void*> requests;
  while (requests.size() < kTooMany) {
    void* request = connection.irecv(&to[requests.size()], 1, nullptr);
    if (request == nullptr) break;
    requests.push_back(request);
  }
  const size_t accepted = requests.size();
  REQUIRE(accepted >= 32);
  REQUIRE(accepted < kTooMany);
  CHECK(connection.irecv(to.data(), 1, nullptr) == nullptr);

  // One by one: the sender's ring may be shorter than the receiver's.
  for (size_t i = 0; i < accepted; ++i) {
    connection.wait(std::vector{requests[i], connection.post_send(&from, 1, nullptr)});
  }

  void* again = connection.irecv(to.data(), 1, nullptr);
  REQUIRE(again != nullptr);
  CHECK(connection.wait(std::vector{again, connection.post_send(&from, 1, nullptr)}) ==
        std::vector<size_t>{1, 1});
}

TEST_CASE("a flush of received data ends") {
  Plugin plugin(library_path(), any_version());
  CAPTURE(plugin.net().version());
  Connection connection(plugin);
  std::vector<uint8_t> data(kKiB);
  const Registration region(connection.net(), connection.recv_comm(), data.data(), data.size());
  void* address = data.data();
  void* memory = region.handle();
  int bytes = static_cast<int>(data.size());
  void* request = nullptr;
  check(plugin.net().iflush(connection.recv_comm(), 1, &address, &bytes, &memory, &request), "iflush");
  // No request means that there is nothing to wait for.
  poll_until("flush", [&] {
    int done = request == nullptr ? 1 : 0;
    if (done == 0) check(plugin.net().test(request, &done, nullptr), "test");
    return done != 0;
  });
}

TEST_CASE("connections can be closed with receives outstanding and opened again") {
  Plugin plugin(library_path(), any_version());
  CAPTURE(plugin.net().version());
  std::vector<uint8_t> room(kKiB);
  for (int round = 0; round < 3; ++round) {
    Connection connection(plugin);
    REQUIRE(connection.irecv(room.data(), room.size(), nullptr) != nullptr);
  }
}

TEST_CASE("no thread is left behind") {
  // The kernel lists a thread for a moment after it was joined, those of the cases before this one too. So
  // there are more rounds than there may be of those: one thread left behind in each cannot hide among them.
  constexpr int kRounds = 16;
  ptrdiff_t before = 0;
  poll_until("threads of earlier cases", [&] { return (before = running_threads()) < kRounds; });
  for (int round = 0; round < kRounds; ++round) {
    Plugin plugin(library_path(), net_versions().back());
    Connection connection(plugin);
    const std::vector<uint8_t> from(kKiB * kKiB);
    std::vector<uint8_t> to(from.size());
    connection.wait(std::vector{connection.post_recv(to.data(), to.size(), nullptr),
                                connection.post_send(from.data(), from.size(), nullptr)});
  }
  poll_until("threads of the plugin", [&] { return running_threads() <= before; });
}

TEST_CASE("two communicators use the plugin side by side") {
  const int version = any_version();
  CAPTURE(version);
  Plugin first(library_path(), version);
  uint8_t from = 7;
  uint8_t to = 0;
  {
    Plugin second(library_path(), version);
    Connection connection(second);
    connection.wait(
        std::vector{connection.post_recv(&to, 1, nullptr), connection.post_send(&from, 1, nullptr)});
  }
  CHECK(to == 7);
  // The first one still works after the second is gone.
  Connection connection(first);
  from = 9;
  connection.wait(
      std::vector{connection.post_recv(&to, 1, nullptr), connection.post_send(&from, 1, nullptr)});
  CHECK(to == 9);
}

}  // namespace netsense::testing
