// The exported profiler tables of the real library: they switch no event on while nobody asks for them, so a
// user of the plugin pays nothing, and they take whatever they are given. What the events tell is tested in
// tests/unit/abi, since the library exports no way to ask.
#include <dlfcn.h>

#include <string>

#include "plugin/abi/profiler_v1.h"
#include "plugin/abi/profiler_v2.h"
#include "plugin/abi/profiler_v3.h"
#include "plugin/abi/profiler_v4.h"
#include "plugin/abi/profiler_v5.h"
#include "plugin/abi/profiler_v6.h"
#include "tests/abi/environment.h"
#include "tests/abi/net_api.h"
#include "tests/catch.h"

namespace netsense::testing {
namespace {

using abi::Result;

template <int kNumber, typename TableType, typename EventType>
struct Profiler {
  static constexpr int kVersion = kNumber;
  using Table = TableType;
  using Event = EventType;
};
using P1 = Profiler<1, abi::ProfilerV1, abi::ProfilerEventV1>;
using P2 = Profiler<2, abi::ProfilerV2, abi::ProfilerEventV2>;
using P3 = Profiler<3, abi::ProfilerV3, abi::ProfilerEventV3>;
using P4 = Profiler<4, abi::ProfilerV4, abi::ProfilerEventV4>;
using P5 = Profiler<5, abi::ProfilerV5, abi::ProfilerEventV5>;
using P6 = Profiler<6, abi::ProfilerV6, abi::ProfilerEventV6>;

template <typename P>
const typename P::Table& find_table(void* library) {
  const std::string symbol = "ncclProfiler_v" + std::to_string(P::kVersion);
  const void* table = dlsym(library, symbol.c_str());
  if (table == nullptr) throw std::runtime_error("no symbol " + symbol);
  return *static_cast<const typename P::Table*>(table);
}

template <typename P>
Result init(const typename P::Table& table, void** context, int* mask) {
  if constexpr (P::kVersion <= 3) {
    return table.init(context, mask);
  } else if constexpr (P::kVersion == 4) {
    return table.init(context, mask, nullptr, 7, 2, 2, 0, nullptr);
  } else {
    return table.init(context, 7, mask, nullptr, 2, 2, 0, nullptr);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("init switches no event on", "", P1, P2, P3, P4, P5, P6) {
  const Library library = open_library(library_path());
  const auto& table = find_table<TestType>(library.get());
  int mask = -1;
  void* first = nullptr;
  void* second = nullptr;
  REQUIRE(init<TestType>(table, &first, &mask) == Result::kOk);
  CHECK(mask == 0);
  CHECK(first != nullptr);  // NCCL finalizes no null context
  REQUIRE(init<TestType>(table, &second, &mask) == Result::kOk);
  CHECK(mask == 0);
  CHECK(table.finalize(first) == Result::kOk);
  CHECK(table.finalize(second) == Result::kOk);
}

TEMPLATE_TEST_CASE("events are taken as they come", "", P1, P2, P3, P4, P5, P6) {
  const Library library = open_library(library_path());
  const auto& table = find_table<TestType>(library.get());
  int mask = 0;
  void* context = nullptr;
  REQUIRE(init<TestType>(table, &context, &mask) == Result::kOk);
  for (const uint8_t type : {0, 1, 2, 4, 8, 16, 32, 64, 128}) {
    typename TestType::Event event{};
    event.type = type;
    event.parent = &event;
    void* handle = &event;
    CHECK(table.start_event(context, &handle, &event) == Result::kOk);
    CHECK(handle == nullptr);
    CHECK(table.record_event_state(handle, static_cast<abi::ProfilerState>(type), nullptr) == Result::kOk);
    CHECK(table.stop_event(handle) == Result::kOk);
  }
  CHECK(table.finalize(context) == Result::kOk);
}

TEMPLATE_TEST_CASE("a profiler given nothing at all fails nothing", "", P1, P2, P3, P4, P5, P6) {
  const Library library = open_library(library_path());
  const auto& table = find_table<TestType>(library.get());
  CHECK(init<TestType>(table, nullptr, nullptr) == Result::kOk);
  void* handle = &handle;
  CHECK(table.start_event(nullptr, &handle, nullptr) == Result::kOk);
  CHECK(handle == nullptr);
  CHECK(table.start_event(nullptr, nullptr, nullptr) == Result::kOk);
  CHECK(table.stop_event(&handle) == Result::kOk);
  CHECK(table.finalize(&handle) == Result::kOk);
}

}  // namespace netsense::testing
