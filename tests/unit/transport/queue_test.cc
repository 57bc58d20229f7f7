// The rings of requests, and how messages are cut into blocks.
#include <array>
#include <vector>

#include "plugin/transport/tcp/recv_ring.h"
#include "plugin/transport/tcp/send_queue.h"
#include "tests/catch.h"

namespace netsense::tcp {

TEST_CASE("messages are cut in order into blocks that cover them") {
  SendQueue queue;
  std::array<char, 1000> data{};
  SendRequest* first = queue.post(nullptr, data.data(), 1000, 5);
  SendRequest* empty = queue.post(nullptr, nullptr, 0, 6);
  SendRequest* last = queue.post(nullptr, data.data(), 300, 7);
  REQUIRE(first != nullptr);
  REQUIRE(empty != nullptr);
  REQUIRE(last != nullptr);
  std::vector<Block> blocks;
  for (Block block = queue.cut(400); block.request != nullptr; block = queue.cut(400))
    blocks.push_back(block);
  REQUIRE(blocks.size() == 5);
  CHECK(blocks[0].offset == 0);
  // Whole lines: 384 and not 400 bytes.
  CHECK(blocks[1].offset == 384);
  CHECK(blocks[2].offset == 768);
  CHECK(blocks[2].bytes == 232);
  CHECK(blocks[3].request == empty);
  CHECK(blocks[3].bytes == 0);
  CHECK(blocks[4].request == last);
  CHECK(queue.all_cut());
  CHECK(!queue.all_sent());
  for (const Block& block : blocks) {
    CHECK(!block.request->done());
    SendQueue::sent(block);
  }
  CHECK(first->done());
  CHECK(empty->done());
  CHECK(last->done());
  CHECK(queue.all_sent());
}

TEST_CASE("a full ring of sends takes another one when the oldest is finished") {
  SendQueue queue;
  std::array<SendRequest*, kRingSize> requests{};
  for (auto& request : requests) {
    request = queue.post(nullptr, nullptr, 0, 0);
    REQUIRE(request != nullptr);
  }
  CHECK(queue.post(nullptr, nullptr, 0, 0) == nullptr);
  requests[1]->in_use = false;
  CHECK(queue.post(nullptr, nullptr, 0, 0) == nullptr);
  requests[0]->in_use = false;
  CHECK(queue.post(nullptr, nullptr, 0, 0) == requests[0]);
}

TEST_CASE("a receive is found by the number of its message, once it is posted") {
  RecvRing ring;
  std::array<char, 16> data{};
  CHECK(ring.find(0) == nullptr);
  RecvRequest* request = ring.post(nullptr, data.data(), data.size(), 1, transport::Reader::kPollsFlags);
  REQUIRE(request != nullptr);
  CHECK(ring.find(0) == request);
  CHECK(ring.find(1) == nullptr);
  CHECK(request->careful_up_to == transport::kMaxMessage);
  CHECK(ring.outstanding() == 1);
  request->done = true;
  CHECK(ring.outstanding() == 0);
  for (size_t i = 1; i < kRingSize; ++i)
    REQUIRE(ring.post(nullptr, nullptr, 0, 0, transport::Reader::kUnknown) != nullptr);
  CHECK(ring.post(nullptr, nullptr, 0, 0, transport::Reader::kUnknown) == nullptr);
}

}  // namespace netsense::tcp
