#include "tools/engine/proxy/attributes.h"

namespace netsense::engine {
namespace {

uint32_t bit(auto value) {
  return 1U << static_cast<uint32_t>(value);
}

}  // namespace

void AttributeTeller::tell_connecting(const NetAttributes& attributes) {
  if (!net_.has_attributes()) return;
  net_.set_attributes(context_, attributes);
  const std::lock_guard lock(mutex_);
  connecting_ = attributes;
  version_.fetch_add(1, std::memory_order_release);
}

void AttributeTeller::tell_transfer(const ProxyArgs& args) {
  if (!net_.has_attributes()) return;
  NetAttributes now = transfer_;
  if (version_.load(std::memory_order_acquire) != seen_version_) {
    const std::lock_guard lock(mutex_);
    now = connecting_;
    seen_version_ = version_.load(std::memory_order_relaxed);
    transfer_ = now;
  }
  TrafficHint& hint = args.send ? now.send : now.recv;
  hint = {args.peers, args.peers, args.channels, args.channels};
  now.op = bit(args.function);
  // Undefined for send/recv: NCCL leaves what the operation before said.
  if (static_cast<int>(args.function) < kCollFunctions) {
    now.algo = bit(args.algorithm);
    now.proto = bit(args.protocol);
  }
  if (now == transfer_) return;
  transfer_ = now;
  net_.set_attributes(context_, now);
}

}  // namespace netsense::engine
