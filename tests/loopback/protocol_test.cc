// Which messages are compressed, by what NCCL tells of them: the buffers that it registers for a connection,
// in which order and of which sizes, and what it announces. Through every version of ncclNet; the statistics
// say what was sent.
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/abi/environment.h"
#include "tests/abi/net_api.h"
#include "tests/catch.h"
#include "tools/stats/reader.h"

namespace netsense::testing {
namespace {

constexpr size_t kMessage = size_t{256} << 10;
constexpr size_t kLl = 524288;
constexpr size_t kLl128 = 4915200;
constexpr size_t kSimple = 4194304;

struct Blocks {
  uint64_t untouched = 0;
  uint64_t compressed = 0;
};

Blocks blocks_so_far() {
  const stats::Host host = stats::read_host(required_variable("NETSENSE_STATS_DIR"));
  for (const telemetry::Snapshot& snapshot : host.processes) {
    if (snapshot.process.pid != static_cast<uint64_t>(::getpid())) continue;
    for (const telemetry::Connection& connection : snapshot.connections) {
      if (connection.direction == telemetry::Direction::kSend) {
        return {connection.blocks_ineligible, connection.blocks_fast + connection.blocks_without_gain};
      }
    }
  }
  return {};
}

class Sender {
 public:
  explicit Sender(int version) : plugin_(library_path(), version), connection_(plugin_) {}

  // Memory that the send comm knows, filled with floats that compress well.
  void* add(size_t bytes) {
    buffers_.push_back(floats(bytes, static_cast<uint32_t>(buffers_.size())));
    regions_.push_back(std::make_unique<Registration>(connection_.net(), connection_.send_comm(),
                                                      buffers_.back().data(), bytes));
    return regions_.back()->handle();
  }
  void announce(const engine::NetAttributes& attributes) {
    check(plugin_.net().set_attributes(plugin_.context(), attributes), "setNetAttr");
  }
  // Whether a message out of buffer `index` is compressed. It must arrive as it was in any case.
  bool compresses(size_t index) {
    const Blocks before = blocks_so_far();
    std::vector<uint8_t> into(kMessage);
    const Registration to(connection_.net(), connection_.recv_comm(), into.data(), into.size());
    connection_.wait(
        std::vector{connection_.post_recv(into.data(), kMessage, to.handle()),
                    connection_.post_send(buffers_[index].data(), kMessage, regions_[index]->handle())});
    REQUIRE(std::equal(into.begin(), into.end(), buffers_[index].begin()));
    const Blocks after = blocks_so_far();
    const bool compressed = after.compressed > before.compressed;
    // One or the other for all of it.
    CHECK((after.untouched > before.untouched) != compressed);
    return compressed;
  }

 private:
  Plugin plugin_;
  Connection connection_;
  std::vector<std::vector<uint8_t>> buffers_;
  std::vector<std::unique_ptr<Registration>> regions_;
};

int any_version() {
  return GENERATE(from_range(net_versions()));
}

}  // namespace

TEST_CASE("of a connection's buffers only Simple's is compressed, whatever the sizes are", "[.protocol]") {
  const int version = any_version();
  const size_t scale = GENERATE(size_t{1}, size_t{2});
  CAPTURE(version, scale);
  Sender sender(version);
  // With sizes other than NCCL's own, only the order tells.
  for (const size_t bytes : {scale * kLl, scale * kLl128, scale * kSimple}) sender.add(bytes);
  CHECK_FALSE(sender.compresses(0));
  CHECK_FALSE(sender.compresses(1));
  CHECK(sender.compresses(2));
}

TEST_CASE("of a send/recv connection's buffers too", "[.protocol]") {
  const int version = any_version();
  CAPTURE(version);
  Sender sender(version);
  sender.add(3 * kLl);
  sender.add(kSimple);
  CHECK_FALSE(sender.compresses(0));
  CHECK(sender.compresses(1));
}

TEST_CASE("where the buffer does not tell, what NCCL announces does", "[.protocol]") {
  const int version = any_version();
  CAPTURE(version);
  constexpr uint32_t kAllReduce = 1U << 4;
  constexpr uint32_t kSendRecv = 1U << 5;
  constexpr uint32_t kProtoLl = 1U << 0;
  constexpr uint32_t kProtoSimple = 1U << 2;
  constexpr int kAnnounces = 11;  // the first version that does
  Sender sender(version);
  sender.add(kSimple);
  CHECK(sender.compresses(0));
  if (version < kAnnounces) return;
  const auto attributes = [](uint32_t functions, uint32_t protocols) {
    engine::NetAttributes made;
    made.op = functions;
    made.proto = protocols;
    return made;
  };
  sender.announce(attributes(kAllReduce, kProtoLl));
  CHECK_FALSE(sender.compresses(0));
  // For send/recv NCCL leaves the protocols as they were.
  sender.announce(attributes(kSendRecv, kProtoLl));
  CHECK(sender.compresses(0));
  sender.announce(attributes(kAllReduce, kProtoLl | kProtoSimple));
  CHECK(sender.compresses(0));
}

}  // namespace netsense::testing
