#include "tests/loopback/bulk.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "tests/catch.h"

namespace netsense::testing {

std::vector<uint8_t> compressible() {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<uint8_t> data(kBulkBytes);
  for (size_t i = 0; i < kBulkBytes; i += sizeof(float)) {
    const float value = normal(random);
    std::memcpy(data.data() + i, &value, sizeof value);
  }
  return data;
}

std::vector<uint8_t> incompressible() {
  std::mt19937_64 random(2);
  std::vector<uint8_t> data(kBulkBytes);
  for (size_t i = 0; i < kBulkBytes; i += sizeof(uint64_t)) {
    const uint64_t value = random();
    std::memcpy(data.data() + i, &value, sizeof value);
  }
  return data;
}

void transfer(const Library12& net, std::vector<uint8_t> data) {
  std::vector<uint8_t> received(kBulkBytes);
  const Ends ends(net);
  void* from = nullptr;
  void* to = nullptr;
  REQUIRE(net->reg_mr(ends.send, data.data(), kBulkBytes, abi::kPtrHost, &from) == Result::kOk);
  REQUIRE(net->reg_mr(ends.recv, received.data(), kBulkBytes, abi::kPtrHost, &to) == Result::kOk);
  for (int i = 0; i < kBulkMessages; ++i) {
    std::ranges::fill(received, uint8_t{0});
    void* sending = nullptr;
    void* receiving = nullptr;
    void* buffer = received.data();
    size_t bytes = kBulkBytes;
    int tag = 0;
    REQUIRE(net->irecv(ends.recv, 1, &buffer, &bytes, &tag, &to, nullptr, &receiving) == Result::kOk);
    REQUIRE(net->isend(ends.send, data.data(), kBulkBytes, 0, from, nullptr, &sending) == Result::kOk);
    bool sent = false;
    bool arrived = false;
    poll_until("transfer", [&] {
      int done = 0;
      if (!sent && net->test(sending, &done, nullptr) != Result::kOk) return true;
      sent = sent || done != 0;
      done = 0;
      if (!arrived && net->test(receiving, &done, nullptr) != Result::kOk) return true;
      arrived = arrived || done != 0;
      return sent && arrived;
    });
    REQUIRE(sent);
    REQUIRE(arrived);
    // Not with ==, which would print both.
    REQUIRE(std::memcmp(data.data(), received.data(), kBulkBytes) == 0);
  }
  REQUIRE(net->dereg_mr(ends.send, from) == Result::kOk);
  REQUIRE(net->dereg_mr(ends.recv, to) == Result::kOk);
}

}  // namespace netsense::testing
