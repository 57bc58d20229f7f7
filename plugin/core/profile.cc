#include "plugin/core/profile.h"

#include "plugin/core/coll_operations.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

namespace netsense::core {
namespace {

// From the top: 16 bits tag, 8 generation, 2 level, 6 function, 6 data type, 26 number of the collective. The
// tag sets bits 63 and 55, which no address of a user's memory has, neither on x86-64 nor on aarch64 with its
// tagged pointers: the handles of other profilers, which are addresses, are never taken for ours.
constexpr uint64_t kTag = 0x9ac5;
constexpr uint64_t kUnknownNumber = 0x3f;
constexpr uint64_t kCollectiveMask = (uint64_t{1} << 26) - 1;
static_assert(Collectives::kSlots <= kCollectiveMask);
constexpr int kWantedEvents =
    static_cast<int>(kProfileColl | kProfileP2p | kProfileProxyOp | kProfileProxyStep);

enum class Level : uint8_t { kTask = 1, kProxyOp = 2, kProxyStep = 3 };

struct Contents {
  TrafficInfo info;
  uint32_t collective = Collectives::kNone;
};

uint64_t to_field(int number) {
  return number >= 0 && number < static_cast<int>(kUnknownNumber) ? static_cast<uint64_t>(number)
                                                                  : kUnknownNumber;
}

int from_field(uint64_t field) {
  return field == kUnknownNumber ? kUnknownTraffic : static_cast<int>(field);
}

void* make_handle(uint8_t generation, Level level, const Contents& contents) {
  const uint64_t bits = kTag << 48 | uint64_t{generation} << 40 | static_cast<uint64_t>(level) << 38 |
                        to_field(contents.info.function) << 32 | to_field(contents.info.data_type) << 26 |
                        contents.collective;
  return reinterpret_cast<void*>(bits);  // NOLINT(performance-no-int-to-ptr): never followed, see profile.h
}

std::optional<Contents> read_handle(const void* handle, uint8_t generation, Level level) {
  const auto bits = reinterpret_cast<uint64_t>(handle);
  const uint64_t head = kTag << 10 | uint64_t{generation} << 2 | static_cast<uint64_t>(level);
  if (generation == 0 || bits >> 38 != head) return std::nullopt;
  return Contents{{from_field(bits >> 26 & 0x3f), from_field(bits >> 32 & 0x3f)},
                  static_cast<uint32_t>(bits & kCollectiveMask)};
}

// NCCL may read it at the same time, by an atomic load.
void write_mask(int* mask, int value) {
  std::atomic_ref<int>(*mask).store(value, std::memory_order_relaxed);
}

struct Name {
  const char* name;
  int number;
};

template <size_t kCount>
int find_name(const Name (&names)[kCount], const char* name) {
  if (name == nullptr) return kUnknownTraffic;
  const auto* found = std::ranges::find_if(names, [&](const Name& n) { return strcmp(n.name, name) == 0; });
  return found == std::end(names) ? kUnknownTraffic : found->number;
}

}  // namespace

void* Profile::open(int* mask, uint64_t comm_id) noexcept {
  if (mask == nullptr) return nullptr;
  try {
    const std::lock_guard lock(mutex_);
    contexts_.push_back(std::make_unique<Context>(Context{mask, comm_id}));
    write_mask(mask, wanted_ > 0 ? kWantedEvents : 0);
    return contexts_.back().get();
  } catch (...) {
    write_mask(mask, 0);
    return nullptr;
  }
}

void Profile::close(void* context) noexcept {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find_if(contexts_, [&](const auto& c) { return c.get() == context; });
  if (known == contexts_.end()) return;
  int* mask = (*known)->mask;
  contexts_.erase(known);
  // There is one mask for each NCCL in the process.
  if (std::ranges::none_of(contexts_, [&](const auto& c) { return c->mask == mask; })) write_mask(mask, 0);
}

void Profile::want(bool wanted) noexcept {
  const std::lock_guard lock(mutex_);
  const bool before = wanted_ > 0;
  wanted_ = wanted ? wanted_ + 1 : std::max(wanted_ - 1, 0);
  const bool now = wanted_ > 0;
  if (before == now) return;
  if (now && ++last_generation_ == 0) ++last_generation_;
  generation_.store(now ? last_generation_ : 0, std::memory_order_relaxed);
  for (const auto& context : contexts_) write_mask(context->mask, now ? kWantedEvents : 0);
}

void* Profile::start_task(TrafficInfo info) const noexcept {
  const uint8_t generation = generation_.load(std::memory_order_relaxed);
  return generation == 0 ? nullptr : make_handle(generation, Level::kTask, {.info = info});
}

void* Profile::start_collective(const void* context, const Collective& collective) noexcept {
  const uint8_t generation = generation_.load(std::memory_order_relaxed);
  if (generation == 0) return nullptr;
  Contents contents{.info = {.data_type = collective.data_type, .function = collective.function}};
  try {
    Collective whole = collective;
    if (whole.comm_id == 0 && context != nullptr)
      whole.comm_id = static_cast<const Context*>(context)->comm_id;
    contents.collective = collectives_.add(whole);
  } catch (...) {
    contents.collective = Collectives::kNone;  // no memory: it stays unknown
  }
  return make_handle(generation, Level::kTask, contents);
}

void* Profile::start_proxy_op(const ProxyOp& op) const noexcept {
  const uint8_t generation = generation_.load(std::memory_order_relaxed);
  const auto contents = read_handle(op.parent, generation, Level::kTask);
  // With PXN a proxy sends for ranks of other processes, whose handles another build may have made.
  if (!contents || op.parent_process != getpid()) return nullptr;
  if (contents->collective != Collectives::kNone) {
    const Collectives::Entry entry = collectives_.at(contents->collective);
    operations_of(entry.comm_id).add(contents->collective, op.channel, op.steps);
  }
  return make_handle(generation, Level::kProxyOp, *contents);
}

void* Profile::start_proxy_step(const void* parent) const noexcept {
  const uint8_t generation = generation_.load(std::memory_order_relaxed);
  const auto contents = read_handle(parent, generation, Level::kProxyOp);
  return contents ? make_handle(generation, Level::kProxyStep, *contents) : nullptr;
}

std::optional<TrafficInfo> Profile::traffic_of(const void* phandle) const noexcept {
  const uint8_t generation = generation_.load(std::memory_order_relaxed);
  if (generation == 0 || phandle == nullptr) return std::nullopt;
  // NCCL's record of the step begins with the handle of the step's event. (In 2.26 it is another record,
  // which begins with an address.)
  const void* handle = nullptr;
  memcpy(&handle, phandle, sizeof handle);
  const auto contents = read_handle(handle, generation, Level::kProxyStep);
  if (!contents) return std::nullopt;
  return contents->info;
}

CollectiveCall Profile::next_call(uint64_t comm_id, int data_type) const noexcept {
  if (generation_.load(std::memory_order_relaxed) == 0) return {};
  CollOperations* operations = comm_id == 0 ? only_operations() : &operations_of(comm_id);
  if (operations == nullptr) return {};
  const CollOperations::Place place = operations->next();
  const Collectives::Entry entry = collectives_.at(place.collective);
  if (place.collective == Collectives::kNone || entry.data_type != data_type) return {};
  return {.known = true, .identity = entry.identity, .index = place.index, .total_bytes = entry.total_bytes};
}

Profile& profile() {
  // Never destroyed: NCCL may end communicators after static destructors have run.
  alignas(Profile) static std::byte storage[sizeof(Profile)];
  static Profile& profile = *new (storage) Profile;
  return profile;
}

std::optional<TrafficInfo> traffic_of(const void* phandle) noexcept {
  return profile().traffic_of(phandle);
}

void want_traffic_info(bool wanted) noexcept {
  profile().want(wanted);
}

int data_type_from_name(const char* name) noexcept {
  static constexpr Name kNames[] = {{"ncclInt8", 0},        {"ncclInt32", 2},      {"ncclUint32", 3},
                                    {"ncclInt64", 4},       {"ncclUint64", 5},     {"ncclFloat16", 6},
                                    {"ncclFloat32", 7},     {"ncclFloat64", 8},    {"ncclBfloat16", 9},
                                    {"ncclFloat8e4m3", 10}, {"ncclFloat8e5m2", 11}};
  return find_name(kNames, name);
}

int function_from_name(const char* name) noexcept {
  static constexpr Name kNames[] = {{"Broadcast", 0}, {"Reduce", 1},   {"AllGather", 2}, {"ReduceScatter", 3},
                                    {"AllReduce", 4}, {"SendRecv", 5}, {"Send", 6},      {"Recv", 7},
                                    {"AlltoAll", 8},  {"Scatter", 9},  {"Gather", 10}};
  return find_name(kNames, name);
}

}  // namespace netsense::core
