#include "plugin/transport/tcp/recv_ring.h"

#include <algorithm>

namespace netsense::tcp {

RecvRequest* RecvRing::post(transport::Comm* owner, void* data, size_t capacity, int tag, bool careful) {
  const uint64_t sequence = posted_.load(std::memory_order_relaxed);
  RecvRequest& slot = ring_[sequence % kRingSize];
  if (slot.in_use) return nullptr;
  slot.owner = owner;
  slot.sequence = sequence;
  slot.data = static_cast<std::byte*>(data);
  slot.capacity = capacity;
  slot.tag = static_cast<uint32_t>(tag);
  slot.careful = careful;
  slot.in_use = true;
  slot.message_bytes.store(kUnknownSize, std::memory_order_relaxed);
  slot.received.store(0, std::memory_order_relaxed);
  slot.done.store(false, std::memory_order_relaxed);
  posted_.store(sequence + 1, std::memory_order_seq_cst);
  return &slot;
}

RecvRequest* RecvRing::find(uint64_t sequence) {
  return sequence < posted_.load(std::memory_order_seq_cst) ? &ring_[sequence % kRingSize] : nullptr;
}

bool RecvRing::uses(const transport::Region& region) const {
  return std::any_of(ring_.begin(), ring_.end(), [&](const RecvRequest& request) {
    return request.in_use && !request.done.load(std::memory_order_acquire) &&
           region.overlaps(request.data, request.capacity);
  });
}

size_t RecvRing::outstanding() const {
  const uint64_t posted = posted_.load(std::memory_order_acquire);
  const uint64_t first = posted > kRingSize ? posted - kRingSize : 0;
  size_t count = 0;
  for (uint64_t i = first; i < posted; ++i)
    count += ring_[i % kRingSize].done.load(std::memory_order_acquire) ? 0 : 1;
  return count;
}

}  // namespace netsense::tcp
