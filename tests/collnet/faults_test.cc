// What goes wrong between ranks ends in an error on all of them, and never in a hang or in wrong sums.
#include <array>
#include <thread>

#include "tests/abi/environment.h"
#include "tests/catch.h"
#include "tests/collnet/coll_world.h"

namespace netsense::testing {
namespace {

constexpr int kNewest = 12;

// Whether the call ends in an error; fails when it succeeds or does not end.
bool ends_in_error(CollRank& rank, const CollCall& call) {
  try {
    rank.all_reduce(call);
    return false;
  } catch (const std::exception& error) {
    return std::string(error.what()).find("did not end") == std::string::npos;
  }
}

}  // namespace

TEST_CASE("ranks in different collectives find it out") {
  const std::pair<int, int> odd = GENERATE(std::pair{1000, 0}, std::pair{2000, 0}, std::pair{2000, 2});
  const int count = odd.first;
  const int op = odd.second;
  if (count == 2000 && op == 0) return;  // the same as the others
  CollWorld world(library_path(), kNewest, 3);
  std::array<bool, 3> failed{};
  world.run([&](CollRank& rank) {
    std::vector<float> send(200000, 1.0F);
    std::vector<float> recv(send.size());
    CollCall call{send.data(), recv.data(), 2000, 7, 0};
    if (rank.rank() == 1) {
      call.count = static_cast<size_t>(count);
      call.op = op;
    }
    failed[static_cast<size_t>(rank.rank())] = ends_in_error(rank, call);
  });
  // One that needs nothing more of the odd one may have finished.
  CHECK(failed[1]);
}

TEST_CASE("a rank that closes in the middle ends the others' calls") {
  CollWorld world(library_path(), kNewest, 3);
  std::array<bool, 3> failed{};
  world.run([&](CollRank& rank) {
    std::vector<float> send(1 << 20, 1.0F);
    std::vector<float> recv(send.size());
    if (rank.rank() == 2) {
      rank.leave();
      return;
    }
    failed[static_cast<size_t>(rank.rank())] =
        ends_in_error(rank, {send.data(), recv.data(), send.size(), 7, 0});
    // And every later one.
    void* request = nullptr;
    CHECK(rank.api().iallreduce(rank.comm(), {send.data(), recv.data(), 1, 7, 0}, &request) != 0);
  });
  CHECK(failed[0]);
  CHECK(failed[1]);
}

TEST_CASE("bad arguments are refused and spoil nothing") {
  CollWorld world(library_path(), kNewest, 2);
  world.run([](CollRank& rank) {
    std::array<float, 4> data{};
    void* request = nullptr;
    CollApi& api = rank.api();
    CHECK(api.iallreduce(rank.comm(), {data.data(), data.data(), 4, 99, 0}, &request) != 0);
    CHECK(api.iallreduce(rank.comm(), {data.data(), data.data(), 4, 7, 9}, &request) != 0);
    CHECK(api.iallreduce(nullptr, {data.data(), data.data(), 4, 7, 0}, &request) != 0);
    CHECK(api.ireducescatter(rank.comm(), {data.data(), data.data(), 0, 7, 0}, {3, 0, 6}, &request) != 0);
    data.fill(1);
    rank.all_reduce({data.data(), data.data(), 4, 7, 0});
    CHECK(data[3] == 2);
  });
}

TEST_CASE("memory given back while a call uses it ends the comm") {
  CollWorld world(library_path(), kNewest, 2);
  world.run([](CollRank& rank) {
    if (rank.rank() == 1) return;  // never takes part
    std::vector<float> data(100000, 1.0F);
    void* region = nullptr;
    REQUIRE(rank.api().reg_mr(rank.comm(), data.data(), data.size() * 4, &region) == 0);
    rank.post_all_reduce({data.data(), data.data(), data.size(), 7, 0});
    CHECK(rank.api().dereg_mr(rank.comm(), region) == 0);
    void* request = nullptr;
    CHECK(rank.api().iallreduce(rank.comm(), {data.data(), data.data(), 1, 7, 0}, &request) != 0);
  });
}

}  // namespace netsense::testing
