// To which collective a call of a collective network belongs: as NCCL's events announce operations, in the
// order in which their calls follow.
#include "plugin/core/collectives.h"

#include <unistd.h>

#include <set>
#include <thread>
#include <vector>

#include "plugin/core/coll_operations.h"
#include "plugin/core/profile.h"
#include "tests/catch.h"

namespace netsense::core {
namespace {

constexpr int kF32 = 7;
constexpr int kAllReduce = 4;

// One operation's events: every channel for sending, then for receiving, as NCCL appends them.
void announce(CollOperations& operations, uint32_t collective, int channels, uint32_t steps) {
  for (int channel = 0; channel < channels; ++channel) {
    for (int direction = 0; direction < 2; ++direction) {
      operations.add(collective, static_cast<uint8_t>(channel), steps);
    }
  }
}

void require_calls(CollOperations& operations, uint32_t collective, uint32_t calls) {
  for (uint32_t i = 0; i < calls; ++i) {
    const CollOperations::Place place = operations.next();
    REQUIRE(place.collective == collective);
    REQUIRE(place.index == i);
  }
}

}  // namespace

TEST_CASE("calls follow the operations in their order, one per step for each eight channels") {
  CollOperations operations;
  announce(operations, 1, 2, 5);
  announce(operations, 2, 9, 3);
  announce(operations, 3, 8, 1);
  require_calls(operations, 1, 5);
  require_calls(operations, 2, 6);
  require_calls(operations, 3, 1);
  CHECK(operations.next().collective == 0);
}

TEST_CASE("the same collective again is another operation") {
  CollOperations operations;
  for (int i = 0; i < 3; ++i) announce(operations, 7, 4, 2);
  for (int i = 0; i < 3; ++i) require_calls(operations, 7, 2);
  CHECK(operations.next().collective == 0);
}

TEST_CASE("operations that are announced while others are under way wait for their turn") {
  CollOperations operations;
  announce(operations, 1, 1, 2);
  CHECK(operations.next().collective == 1);
  announce(operations, 2, 1, 1);
  CHECK(operations.next().collective == 1);
  CHECK(operations.next().collective == 2);
}

TEST_CASE("more operations than are remembered lose the oldest") {
  CollOperations operations;
  for (uint32_t i = 1; i <= 100; ++i) announce(operations, i, 1, 1);
  CHECK(operations.next().collective == 37);
}

TEST_CASE("every thread has its own operations, and every communicator") {
  announce(operations_of(11), 1, 1, 1);
  announce(operations_of(12), 2, 1, 1);
  std::thread([] { CHECK(operations_of(11).next().collective == 0); }).join();
  CHECK(operations_of(12).next().collective == 2);
  CHECK(operations_of(11).next().collective == 1);
}

TEST_CASE("calls that do not tell their communicator belong to the thread's only one") {
  std::thread([] {
    CHECK(only_operations() == nullptr);
    announce(operations_of(21), 5, 1, 1);
    REQUIRE(only_operations() != nullptr);
    CHECK(only_operations()->next().collective == 5);
    announce(operations_of(22), 6, 1, 1);
    CHECK(only_operations() == nullptr);
  }).join();
}

TEST_CASE("collectives that differ in anything have identities of their own") {
  Collectives collectives;
  const int here = 0;
  const Collective base{
      .comm_id = 1, .function = kAllReduce, .data_type = kF32, .count = 1000, .send = &here};
  std::vector<Collective> others(6, base);
  others[1].comm_id = 2;
  others[2].function = 3;
  others[3].data_type = 9;
  others[4].count = 1001;
  others[5].send = &others;
  std::set<uint64_t> identities;
  for (const Collective& collective : others)
    identities.insert(collectives.at(collectives.add(collective)).identity);
  CHECK(identities.size() == others.size());
  CHECK(collectives.add(base) == collectives.add(base));
  CHECK(collectives.at(collectives.add(base)).total_bytes == 4000);
  CHECK(collectives.at(Collectives::kNone).identity == 0);
}

TEST_CASE("a full table begins anew, and identities stay what they are") {
  Collectives collectives;
  const Collective first{.comm_id = 1, .function = kAllReduce, .data_type = kF32, .count = 1};
  const uint64_t identity = collectives.at(collectives.add(first)).identity;
  for (size_t count = 2; count < Collectives::kSlots + 10; ++count) {
    REQUIRE(collectives.add({.comm_id = 1, .function = kAllReduce, .data_type = kF32, .count = count}) <
            Collectives::kSlots);
  }
  CHECK(collectives.at(collectives.add(first)).identity == identity);
}

TEST_CASE("events lead to a call's collective; another type or no event leads nowhere") {
  Profile profile;
  int mask = 0;
  void* context = profile.open(&mask, 77);
  CHECK_FALSE(profile.next_call(77, kF32).known);
  profile.want(true);
  const Collective collective{.function = kAllReduce, .data_type = kF32, .count = 1 << 20};
  const auto begin = [&](uint32_t steps) {
    const void* task = profile.start_collective(context, collective);
    for (int direction = 0; direction < 2; ++direction) {
      REQUIRE(profile.start_proxy_op({.parent = task, .parent_process = getpid(), .steps = steps}) !=
              nullptr);
    }
  };
  begin(2);
  const CollectiveCall first = profile.next_call(77, kF32);
  CHECK(first.known);
  CHECK(first.index == 0);
  CHECK(first.total_bytes == size_t{4} << 20);
  CHECK(profile.next_call(77, kF32).index == 1);
  CHECK_FALSE(profile.next_call(77, kF32).known);
  begin(1);
  CHECK(profile.next_call(77, kF32).identity == first.identity);
  begin(1);
  CHECK_FALSE(profile.next_call(77, 9).known);
  begin(1);
  CHECK_FALSE(profile.next_call(78, kF32).known);
  profile.want(false);
  CHECK_FALSE(profile.next_call(77, kF32).known);
  profile.close(context);
}

}  // namespace netsense::core
