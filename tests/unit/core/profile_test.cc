// Profile: what a transfer's event says, and that nothing else is ever taken for it.
#include "plugin/core/profile.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/catch.h"

namespace netsense::core {
namespace {

constexpr TrafficInfo kBf16AllReduce{.data_type = 9, .function = 4};
constexpr int kAllWanted = 2 + 4 + 8 + 16;  // coll, p2p, proxyOp, proxyStep in NCCL's activation mask

// How NCCL hands a step's event to the network: the address of a record that begins with the handle.
struct StepRecord {
  void* event = nullptr;
  void* sub = nullptr;
};

StepRecord step_of(const Profile& profile, const void* task, pid_t process = getpid()) {
  return {
      profile.start_proxy_step(profile.start_proxy_op({.parent = task, .parent_process = process})),
      nullptr};
}

}  // namespace

TEST_CASE("a step tells data type and function of its task") {
  Profile profile;
  profile.want(true);
  for (int data_type = 0; data_type < 12; ++data_type) {
    for (int function = 0; function < 15; ++function) {
      const TrafficInfo info{data_type, function};
      const StepRecord step = step_of(profile, profile.start_task(info));
      CHECK(profile.traffic_of(&step) == info);
    }
  }
}

TEST_CASE("what NCCL does not name stays unknown") {
  Profile profile;
  profile.want(true);
  const TrafficInfo half{kUnknownTraffic, 4};
  const StepRecord step = step_of(profile, profile.start_task(half));
  CHECK(profile.traffic_of(&step) == half);
  const StepRecord odd = step_of(profile, profile.start_task({1000, -7}));
  CHECK(profile.traffic_of(&odd) == TrafficInfo{});
}

TEST_CASE("no event is made and none answers while nobody wants it") {
  Profile profile;
  CHECK(profile.start_task(kBf16AllReduce) == nullptr);
  profile.want(true);
  const void* task = profile.start_task(kBf16AllReduce);
  const StepRecord step = step_of(profile, task);
  profile.want(false);
  CHECK_FALSE(profile.traffic_of(&step));
  CHECK(profile.start_proxy_op({.parent = task, .parent_process = getpid()}) == nullptr);
}

TEST_CASE("an event from before a pause does not answer after it") {
  Profile profile;
  profile.want(true);
  const void* task = profile.start_task(kBf16AllReduce);
  const StepRecord step = step_of(profile, task);
  profile.want(false);
  profile.want(true);
  CHECK_FALSE(profile.traffic_of(&step));
  CHECK(profile.start_proxy_op({.parent = task, .parent_process = getpid()}) == nullptr);
  const StepRecord fresh = step_of(profile, profile.start_task(kBf16AllReduce));
  CHECK(profile.traffic_of(&fresh) == kBf16AllReduce);
}

TEST_CASE("generations wrap without one that means nobody") {
  Profile profile;
  for (int i = 0; i < 70000; ++i) {
    profile.want(true);
    const StepRecord step = step_of(profile, profile.start_task(kBf16AllReduce));
    const auto info = profile.traffic_of(&step);
    profile.want(false);
    if (info != kBf16AllReduce) FAIL("generation " << i);
  }
}

TEST_CASE("a parent that is missing, foreign or of the wrong level gives no event") {
  Profile profile;
  profile.want(true);
  const int foreign = 0;
  const void* task = profile.start_task(kBf16AllReduce);
  const void* op = profile.start_proxy_op({.parent = task, .parent_process = getpid()});
  const void* step = profile.start_proxy_step(op);
  for (const void* parent :
       {static_cast<const void*>(nullptr), static_cast<const void*>(&foreign), op, step}) {
    CHECK(profile.start_proxy_op({.parent = parent, .parent_process = getpid()}) == nullptr);
  }
  for (const void* parent :
       {static_cast<const void*>(nullptr), static_cast<const void*>(&foreign), task, step}) {
    CHECK(profile.start_proxy_step(parent) == nullptr);
  }
}

TEST_CASE("a task of another process gives no event") {
  Profile profile;
  profile.want(true);
  const void* task = profile.start_task(kBf16AllReduce);
  const StepRecord step = step_of(profile, task, getppid());
  CHECK(step.event == nullptr);
  CHECK_FALSE(profile.traffic_of(&step));
}

TEST_CASE("handles that are not a step of ours do not answer") {
  Profile profile;
  profile.want(true);
  CHECK_FALSE(profile.traffic_of(nullptr));
  const StepRecord none;
  CHECK_FALSE(profile.traffic_of(&none));
  int theirs = 0;
  const StepRecord foreign{&theirs, nullptr};
  CHECK_FALSE(profile.traffic_of(&foreign));
  void* task = profile.start_task(kBf16AllReduce);
  const StepRecord wrong_level{task, nullptr};
  CHECK_FALSE(profile.traffic_of(&wrong_level));
}

TEST_CASE("no address of a user's memory can be a handle") {
  Profile profile;
  profile.want(true);
  const auto bits = reinterpret_cast<uint64_t>(profile.start_task(kBf16AllReduce));
  CHECK(bits >> 63 == 1);         // x86-64, 47 or 56 bits
  CHECK((bits >> 55 & 1U) == 1);  // aarch64, whatever the tag in the top byte
}

TEST_CASE("no number of events is too many") {
  Profile profile;
  profile.want(true);
  const StepRecord first = step_of(profile, profile.start_task(kBf16AllReduce));
  for (int i = 0; i < 1000000; ++i) {
    const StepRecord step = step_of(profile, profile.start_task({i % 12, i % 9}));
    if (step.event == nullptr) FAIL("event " << i);
  }
  CHECK(profile.traffic_of(&first) == kBf16AllReduce);
}

TEST_CASE("the activation mask is up while somebody wants it") {
  Profile profile;
  int mask = 123;
  void* context = profile.open(&mask);
  REQUIRE(context != nullptr);  // NCCL finalizes no null context
  CHECK(mask == 0);
  profile.want(true);
  CHECK(mask == kAllWanted);
  profile.want(true);
  profile.want(false);
  CHECK(mask == kAllWanted);
  profile.want(false);
  CHECK(mask == 0);
  profile.want(false);  // one too many changes nothing
  profile.want(true);
  CHECK(mask == kAllWanted);
  profile.close(context);
  CHECK(mask == 0);
}

TEST_CASE("communicators share a mask; it is left alone after the last of them") {
  Profile profile;
  profile.want(true);
  int mask = 0;
  int other = 0;
  void* first = profile.open(&mask);
  void* second = profile.open(&mask);
  void* third = profile.open(&other);
  CHECK(mask == kAllWanted);
  profile.close(first);
  CHECK(mask == kAllWanted);
  profile.close(second);
  CHECK(mask == 0);
  CHECK(other == kAllWanted);
  mask = 77;
  profile.want(false);
  CHECK(mask == 77);
  CHECK(other == 0);
  profile.close(third);
  profile.close(third);
  profile.close(nullptr);
  CHECK(profile.open(nullptr) == nullptr);
}

TEST_CASE("threads that make events while others start and stop wanting them read nothing false") {
  Profile profile;
  int mask = 0;
  void* context = profile.open(&mask);
  std::atomic<int> working{3};
  std::array<std::atomic<int>, 3> wrong{};
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      const TrafficInfo mine{t, t + 3};
      for (int i = 0; i < 20000; ++i) {
        const StepRecord step = step_of(profile, profile.start_task(mine));
        const auto info = profile.traffic_of(&step);
        if (info && *info != mine) ++wrong[static_cast<size_t>(t)];
      }
      --working;
    });
  }
  while (working > 0) {
    profile.want(true);
    void* another = profile.open(&mask);
    std::this_thread::yield();
    profile.want(false);
    profile.close(another);
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& count : wrong) CHECK(count == 0);
  profile.close(context);
  CHECK(mask == 0);
}

TEST_CASE("names of data types and functions are NCCL's") {
  CHECK(data_type_from_name("ncclInt8") == 0);
  CHECK(data_type_from_name("ncclFloat16") == 6);
  CHECK(data_type_from_name("ncclFloat32") == 7);
  CHECK(data_type_from_name("ncclBfloat16") == 9);
  CHECK(data_type_from_name("ncclFloat8e5m2") == 11);
  CHECK(data_type_from_name("Unknown") == kUnknownTraffic);
  CHECK(data_type_from_name("") == kUnknownTraffic);
  CHECK(data_type_from_name(nullptr) == kUnknownTraffic);
  CHECK(function_from_name("Broadcast") == 0);
  CHECK(function_from_name("AllReduce") == 4);
  CHECK(function_from_name("Send") == 6);
  CHECK(function_from_name("SendRecv") == 5);
  CHECK(function_from_name("Gather") == 10);
  CHECK(function_from_name("Invalid") == kUnknownTraffic);
  CHECK(function_from_name(nullptr) == kUnknownTraffic);
}

}  // namespace netsense::core
