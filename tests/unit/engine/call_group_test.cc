// Grouped calls of the C API, over the reference plugin, with two ranks of one thread: they connect only when
// both are launched, so that a launch at the wrong time shows.
#include <array>
#include <future>
#include <vector>

#include "tests/catch.h"
#include "tools/engine/ns_engine.h"

namespace {

constexpr size_t kCount = 1000;

class TwoRanks {
 public:
  TwoRanks() {
    ns_unique_id id;
    REQUIRE(ns_get_unique_id("127.0.0.1:0", &id) == ns_success);
    std::array<std::future<ns_result>, 2> joining;
    for (int rank = 0; rank < 2; ++rank) {
      joining[rank] = std::async(std::launch::async, ns_comm_init_rank, &comms_[rank], 2, &id, rank);
    }
    for (auto& rank : joining) REQUIRE(rank.get() == ns_success);
    for (int rank = 0; rank < 2; ++rank) input_[rank].assign(kCount, rank + 1);
    clear();
  }
  TwoRanks(const TwoRanks&) = delete;
  TwoRanks& operator=(const TwoRanks&) = delete;
  // Closing, as connecting, is done side by side.
  ~TwoRanks() {
    auto other = std::async(std::launch::async, ns_comm_destroy, comms_[1]);
    ns_comm_destroy(comms_[0]);
    other.wait();
  }

  ns_result sum(int rank, ns_op op = ns_sum) {
    return ns_all_reduce(input_[rank].data(), output_[rank].data(), kCount, ns_int32, op, comms_[rank]);
  }
  void synchronize() {
    for (ns_comm* comm : comms_) REQUIRE(ns_comm_synchronize(comm) == ns_success);
  }
  void clear() {
    for (auto& output : output_) output.assign(kCount, -1);
  }
  [[nodiscard]] bool all_outputs_are(int value) const {
    const std::vector<int> expected(kCount, value);
    return output_[0] == expected && output_[1] == expected;
  }

 private:
  std::array<ns_comm*, 2> comms_{};
  std::array<std::vector<int>, 2> input_;
  std::array<std::vector<int>, 2> output_;
};

}  // namespace

TEST_CASE("the calls of a group are launched side by side at its end") {
  TwoRanks ranks;
  REQUIRE(ns_group_start() == ns_success);
  CHECK(ranks.sum(0) == ns_success);
  CHECK(ranks.sum(1) == ns_success);
  CHECK(ranks.all_outputs_are(-1));
  REQUIRE(ns_group_end() == ns_success);
  ranks.synchronize();
  CHECK(ranks.all_outputs_are(3));
}

TEST_CASE("an inner group's end launches nothing") {
  TwoRanks ranks;
  REQUIRE(ns_group_start() == ns_success);
  REQUIRE(ns_group_start() == ns_success);
  CHECK(ranks.sum(0) == ns_success);
  REQUIRE(ns_group_end() == ns_success);  // alone, this rank would wait for the other
  CHECK(ranks.sum(1) == ns_success);
  REQUIRE(ns_group_end() == ns_success);
  ranks.synchronize();
  CHECK(ranks.all_outputs_are(3));
}

TEST_CASE("a group with a wrong call launches nothing, and the next one works") {
  TwoRanks ranks;
  REQUIRE(ns_group_start() == ns_success);
  CHECK(ranks.sum(0) == ns_success);
  CHECK(ranks.sum(1, ns_num_ops) == ns_invalid_argument);
  CHECK(ns_group_end() == ns_invalid_argument);
  ranks.synchronize();
  CHECK(ranks.all_outputs_are(-1));

  REQUIRE(ns_group_start() == ns_success);
  CHECK(ranks.sum(0) == ns_success);
  CHECK(ranks.sum(1) == ns_success);
  REQUIRE(ns_group_end() == ns_success);
  ranks.synchronize();
  CHECK(ranks.all_outputs_are(3));
}

TEST_CASE("a wrong call outside groups leaves no trace in the next group") {
  TwoRanks ranks;
  CHECK(ranks.sum(0, ns_num_ops) == ns_invalid_argument);
  REQUIRE(ns_group_start() == ns_success);
  CHECK(ns_group_end() == ns_success);
}

TEST_CASE("an end without a start is an error") {
  CHECK(ns_group_end() == ns_invalid_usage);
}
