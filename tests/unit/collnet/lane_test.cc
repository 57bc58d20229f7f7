// What a lane hands to the transport, and when.
#include "plugin/collnet/lanes.h"

#include <vector>

#include "tests/catch.h"

namespace netsense::collnet {
namespace {

struct Sent {
  size_t bytes;
  bool more;
};

// Takes every message and keeps it under way until it is told.
class Wire final : public transport::SendComm {
 public:
  explicit Wire(std::vector<Sent>& sent) : sent_(sent) {}
  Status isend(const void*, size_t bytes, int, transport::Region*, const transport::MessageHints& hints,
               transport::Request** request) override {
    sent_.push_back({bytes, hints.more});
    *request = &request_;
    return Status::kOk;
  }
  Status test(transport::Request*, bool* done, size_t*) override {
    *done = false;
    return Status::kOk;
  }
  Status register_memory(void*, size_t, transport::MemoryType, transport::Region**) override {
    return Status::kOk;
  }
  Status deregister_memory(transport::Region*) override { return Status::kOk; }
  [[nodiscard]] transport::PathView path() const override { return {}; }
  [[nodiscard]] const std::string& peer() const override { return peer_; }

 private:
  std::vector<Sent>& sent_;
  transport::Request request_;
  std::string peer_ = "nobody";
};

constexpr size_t kLarge = size_t{40} << 10;

PartHeader apart() {
  return {.kind = PartKind::kApart, .call = 0, .print = 0, .piece = 0, .elements = kLarge, .bytes = kLarge};
}

}  // namespace

TEST_CASE("messages wait for each other until they are worth a write, and then go out as one") {
  std::vector<Sent> sent;
  SendLane lane(std::make_unique<Wire>(sent), 8);
  const std::vector<std::byte> elements(kLarge);
  bool moved = false;
  uint64_t token = 0;
  lane.commit_apart(apart(), elements.data(), 7, 1);
  REQUIRE(lane.poll(&moved, &token) == Status::kOk);
  CHECK(sent.empty());
  lane.commit_apart(apart(), elements.data(), 7, 2);
  REQUIRE(lane.poll(&moved, &token) == Status::kOk);
  REQUIRE(sent.size() == 4);
  CHECK(sent[1].bytes == kLarge);
  // The last one, which nothing follows, takes the others along.
  CHECK((sent[0].more && sent[1].more && sent[2].more && !sent[3].more));
}

TEST_CASE("what is gathered goes out when there is nothing else to do, however little") {
  std::vector<Sent> sent;
  SendLane lane(std::make_unique<Wire>(sent), 4);
  REQUIRE(lane.reserve(8) != nullptr);
  lane.commit({.kind = PartKind::kLossy, .call = 0, .print = 0, .piece = 0, .elements = 2, .bytes = 8}, 7);
  bool moved = false;
  REQUIRE(lane.flush(&moved) == Status::kOk);
  CHECK(moved);
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].bytes == kPartHeaderBytes + 8);
  CHECK_FALSE(sent[0].more);
  moved = false;
  REQUIRE(lane.flush(&moved) == Status::kOk);
  CHECK_FALSE(moved);
}

}  // namespace netsense::collnet
