#include "plugin/core/profile.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

namespace netsense::core {
namespace {

// From the top: 16 bits tag, 16 generation, 8 level, 8 nothing, 8 function, 8 data type. The tag sets bits 63
// and 55, which no address of a user's memory has, neither on x86-64 nor on aarch64 with its tagged pointers:
// the handles of other profilers, which are addresses, are never taken for ours.
constexpr uint64_t kTag = 0x9ac5;
constexpr uint64_t kUnknownByte = 0xff;
constexpr int kWantedEvents =
    static_cast<int>(kProfileColl | kProfileP2p | kProfileProxyOp | kProfileProxyStep);

enum class Level : uint8_t { kTask = 1, kProxyOp = 2, kProxyStep = 3 };

uint64_t to_byte(int number) {
  return number >= 0 && number < static_cast<int>(kUnknownByte) ? static_cast<uint64_t>(number)
                                                                : kUnknownByte;
}

int from_byte(uint64_t byte) {
  return byte == kUnknownByte ? kUnknownTraffic : static_cast<int>(byte);
}

void* make_handle(uint16_t generation, Level level, TrafficInfo info) {
  const uint64_t bits = kTag << 48 | uint64_t{generation} << 32 | static_cast<uint64_t>(level) << 24 |
                        to_byte(info.function) << 8 | to_byte(info.data_type);
  return reinterpret_cast<void*>(bits);  // NOLINT(performance-no-int-to-ptr): never followed, see profile.h
}

std::optional<TrafficInfo> read_handle(const void* handle, uint16_t generation, Level level) {
  const auto bits = reinterpret_cast<uint64_t>(handle);
  const uint64_t head = kTag << 24 | uint64_t{generation} << 8 | static_cast<uint64_t>(level);
  if (generation == 0 || bits >> 24 != head) return std::nullopt;
  return TrafficInfo{from_byte(bits & 0xff), from_byte(bits >> 8 & 0xff)};
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

void* Profile::open(int* mask) noexcept {
  if (mask == nullptr) return nullptr;
  try {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find(masks_, mask, &Mask::mask);
    if (known != masks_.end()) {
      ++known->contexts;
    } else {
      masks_.push_back({mask, 1});
    }
    write_mask(mask, wanted_ > 0 ? kWantedEvents : 0);
    return mask;
  } catch (...) {
    write_mask(mask, 0);
    return nullptr;
  }
}

void Profile::close(void* context) noexcept {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find_if(masks_, [&](const Mask& m) { return m.mask == context; });
  if (known == masks_.end() || --known->contexts > 0) return;
  write_mask(known->mask, 0);
  masks_.erase(known);
}

void Profile::want(bool wanted) noexcept {
  const std::lock_guard lock(mutex_);
  const bool before = wanted_ > 0;
  wanted_ = wanted ? wanted_ + 1 : std::max(wanted_ - 1, 0);
  const bool now = wanted_ > 0;
  if (before == now) return;
  if (now && ++last_generation_ == 0) ++last_generation_;
  generation_.store(now ? last_generation_ : 0, std::memory_order_relaxed);
  for (const Mask& mask : masks_) write_mask(mask.mask, now ? kWantedEvents : 0);
}

void* Profile::start_task(TrafficInfo info) const noexcept {
  const uint16_t generation = generation_.load(std::memory_order_relaxed);
  return generation == 0 ? nullptr : make_handle(generation, Level::kTask, info);
}

void* Profile::start_proxy_op(const void* parent, pid_t parent_process) const noexcept {
  const uint16_t generation = generation_.load(std::memory_order_relaxed);
  const auto info = read_handle(parent, generation, Level::kTask);
  // With PXN a proxy sends for ranks of other processes, whose handles another build may have made.
  if (!info || parent_process != getpid()) return nullptr;
  return make_handle(generation, Level::kProxyOp, *info);
}

void* Profile::start_proxy_step(const void* parent) const noexcept {
  const uint16_t generation = generation_.load(std::memory_order_relaxed);
  const auto info = read_handle(parent, generation, Level::kProxyOp);
  return info ? make_handle(generation, Level::kProxyStep, *info) : nullptr;
}

std::optional<TrafficInfo> Profile::traffic_of(const void* phandle) const noexcept {
  const uint16_t generation = generation_.load(std::memory_order_relaxed);
  if (generation == 0 || phandle == nullptr) return std::nullopt;
  // NCCL's record of the step begins with the handle of the step's event. (In 2.26 it is another record,
  // which begins with an address.)
  const void* handle = nullptr;
  memcpy(&handle, phandle, sizeof handle);
  return read_handle(handle, generation, Level::kProxyStep);
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
