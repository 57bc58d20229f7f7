#include "plugin/transport/tcp/recv_ring.h"

#include <algorithm>

namespace netsense::tcp {

namespace {

// NCCL's largest LL step. Messages of NCCL's up to this size are always stored in order: it costs nothing
// that can be measured there, and then no mistake about a buffer's protocol can show a flag before its data.
constexpr size_t kCarefulBytes = size_t{64} << 10;

size_t careful_up_to(transport::Reader reader) {
  switch (reader) {
    case transport::Reader::kPollsFlags:
      return transport::kMaxMessage;
    case transport::Reader::kUnknown:
      return kCarefulBytes;
    case transport::Reader::kWaits:
      break;
  }
  return 0;
}

}  // namespace

RecvRequest* RecvRing::post(transport::Comm* owner, void* data, size_t capacity, int tag,
                            transport::Reader reader) {
  const uint64_t sequence = posted_.load(std::memory_order_relaxed);
  RecvRequest& slot = ring_[sequence % kRingSize];
  if (slot.in_use) return nullptr;
  slot.owner = owner;
  slot.sequence = sequence;
  slot.data = static_cast<std::byte*>(data);
  slot.capacity = capacity;
  slot.tag = static_cast<uint32_t>(tag);
  slot.careful_up_to = careful_up_to(reader);
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
