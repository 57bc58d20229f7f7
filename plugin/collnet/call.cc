#include "plugin/collnet/call.h"

#include "plugin/core/bytes.h"
#include "plugin/core/checksum.h"

namespace netsense::collnet {

uint32_t fingerprint(const CallArgs& args) {
  std::array<std::byte, 32> bytes{};
  core::store_le<uint64_t>(&bytes[0], args.elements);
  core::store_le<uint64_t>(&bytes[8], args.per_rank);
  core::store_le<uint64_t>(&bytes[16], args.window_offset);
  bytes[24] = static_cast<std::byte>(args.kind);
  bytes[25] = static_cast<std::byte>(args.type);
  bytes[26] = static_cast<std::byte>(args.op);
  return static_cast<uint32_t>(core::block_checksum(bytes.data(), bytes.size()));
}

Call* CallRing::post(transport::Comm* owner, const CallArgs& args) {
  const uint64_t number = posted_.load(std::memory_order_relaxed);
  Call& call = (*this)[number];
  if (call.in_use) return nullptr;
  call.owner = owner;
  call.args = args;
  call.number = number;
  call.print = fingerprint(args);
  call.in_use = true;
  call.done.store(false, std::memory_order_relaxed);
  posted_.store(number + 1, std::memory_order_release);
  signal_.fetch_add(2, std::memory_order_release);
  signal_.notify_one();
  return &call;
}

void CallRing::wait(uint64_t seen) const {
  for (;;) {
    const uint32_t before = signal_.load(std::memory_order_acquire);
    if ((before & kStop) != 0 || posted() > seen) return;
    signal_.wait(before, std::memory_order_acquire);
  }
}

void CallRing::stop() {
  signal_.fetch_or(kStop, std::memory_order_release);
  signal_.notify_one();
}

}  // namespace netsense::collnet
