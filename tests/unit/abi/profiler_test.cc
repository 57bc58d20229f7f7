// Every version of the profiler table, called as NCCL calls it, from the task down to the step whose event
// the network is given: does the network learn data type and function?
#include <unistd.h>

#include <type_traits>

#include "plugin/abi/profiler_adapter.h"
#include "plugin/abi/profiler_v1.h"
#include "plugin/abi/profiler_v2.h"
#include "plugin/abi/profiler_v3.h"
#include "plugin/abi/profiler_v4.h"
#include "plugin/abi/profiler_v5.h"
#include "plugin/abi/profiler_v6.h"
#include "tests/catch.h"

namespace netsense::abi {
namespace {

constexpr int kBfloat16 = 9;
constexpr int kAllReduce = 4;
constexpr int kSend = 6;

// For the time of a test: somebody who wants traffic information.
class Wanted {
 public:
  Wanted() { core::want_traffic_info(true); }
  Wanted(const Wanted&) = delete;
  Wanted& operator=(const Wanted&) = delete;
  ~Wanted() { core::want_traffic_info(false); }
};

template <typename Init>
void* open(Init init, int* mask) {
  void* context = nullptr;
  Result result = Result::kInternalError;
  if constexpr (std::is_same_v<Init, ProfilerInitV1>) {
    result = init(&context, mask);
  } else if constexpr (std::is_same_v<Init, ProfilerInitV4>) {
    result = init(&context, mask, "job", 1, 1, 2, 0, nullptr);
  } else {
    result = init(&context, 1, mask, nullptr, 1, 2, 0, nullptr);
  }
  CHECK(result == Result::kOk);
  return context;
}

// One communicator of NCCL.
template <typename Table, typename Event>
class Driver {
 public:
  using EventType = Event;

  Driver() : context_(open(table_.init, &mask_)) {}
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  ~Driver() { (void)table_.finalize(context_); }

  [[nodiscard]] int mask() const { return mask_; }
  [[nodiscard]] void* context() const { return context_; }

  void* start(Event event) {
    void* handle = this;  // what stands there before must not matter
    CHECK(table_.start_event(context_, &handle, &event) == Result::kOk);
    return handle;
  }
  void end(void* handle) {
    CHECK(table_.record_event_state(handle, static_cast<ProfilerState>(19), nullptr) == Result::kOk);
    CHECK(table_.stop_event(handle) == Result::kOk);
  }

  void* start_coll() {
    Event event{};
    event.type = 2;
    if constexpr (std::is_same_v<Table, ProfilerV1>) {
      event.coll.function = kAllReduce;
      event.coll.data_type = kBfloat16;
    } else {
      event.coll.function = "AllReduce";
      event.coll.data_type = "ncclBfloat16";
    }
    return start(event);
  }
  void* start_send() {
    Event event{};
    event.type = 4;
    if constexpr (std::is_same_v<Table, ProfilerV1>) {
      event.p2p.function = kSend;
      event.p2p.data_type = kBfloat16;
    } else {
      event.p2p.function = "Send";
      event.p2p.data_type = "ncclBfloat16";
    }
    return start(event);
  }
  void* start_op(void* parent) {
    Event event{};
    event.type = 8;
    event.parent = parent;
    event.proxy_op.pid = getpid();
    return start(event);
  }
  void* start_step(void* parent) {
    Event event{};
    event.type = 16;
    event.parent = parent;
    return start(event);
  }

 private:
  Table table_ = profiler::make_table<Table>();
  int mask_ = -1;
  void* context_;
};

}  // namespace

TEMPLATE_TEST_CASE("the network hears what is sent", "", (Driver<ProfilerV1, ProfilerEventV1>),
                   (Driver<ProfilerV2, ProfilerEventV2>), (Driver<ProfilerV3, ProfilerEventV3>),
                   (Driver<ProfilerV4, ProfilerEventV4>), (Driver<ProfilerV5, ProfilerEventV5>),
                   (Driver<ProfilerV6, ProfilerEventV6>)) {
  TestType driver;
  CHECK(driver.context() != nullptr);
  CHECK(driver.mask() == 0);
  CHECK(driver.start_coll() == nullptr);

  const Wanted wanted;
  CHECK(driver.mask() == 2 + 4 + 8 + 16);
  struct {
    void* event;
    void* sub;
  } record{};
  for (const bool coll : {true, false}) {
    void* task = coll ? driver.start_coll() : driver.start_send();
    driver.end(task);  // NCCL ends a task once its work is handed to the proxy, before the proxy begins
    void* op = driver.start_op(task);
    record.event = driver.start_step(op);
    const core::TrafficInfo expected{kBfloat16, coll ? kAllReduce : kSend};
    CHECK(core::traffic_of(&record) == expected);
    driver.end(record.event);
    driver.end(op);
    driver.end(op);
  }
}

TEMPLATE_TEST_CASE("events that mean nothing here are accepted and have no handle", "",
                   (Driver<ProfilerV1, ProfilerEventV1>), (Driver<ProfilerV2, ProfilerEventV2>),
                   (Driver<ProfilerV3, ProfilerEventV3>), (Driver<ProfilerV4, ProfilerEventV4>),
                   (Driver<ProfilerV5, ProfilerEventV5>), (Driver<ProfilerV6, ProfilerEventV6>)) {
  const Wanted wanted;
  TestType driver;
  for (const int type : {0, 1, 32, 64, 128, 6, 255}) {
    typename TestType::EventType event{};
    event.type = static_cast<decltype(event.type)>(type);
    CHECK(driver.start(event) == nullptr);
  }
  driver.end(nullptr);
  driver.end(&driver);
  CHECK(driver.start_op(nullptr) == nullptr);
  CHECK(driver.start_step(&driver) == nullptr);
}

}  // namespace netsense::abi
