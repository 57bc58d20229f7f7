#include "plugin/transport/tcp/send_queue.h"

#include <algorithm>

namespace netsense::tcp {

SendRequest* SendQueue::post(transport::Comm* owner, const void* data, size_t bytes, int tag,
                             CodingHints coding) {
  const uint64_t sequence = posted_.load(std::memory_order_relaxed);
  SendRequest& slot = ring_[sequence % kRingSize];
  if (slot.in_use) return nullptr;
  slot.owner = owner;
  slot.sequence = sequence;
  slot.data = static_cast<const std::byte*>(data);
  slot.bytes = bytes;
  slot.tag = static_cast<uint32_t>(tag);
  slot.coding = coding;
  slot.in_use = true;
  slot.unsent.store(std::max<size_t>(bytes, 1), std::memory_order_relaxed);
  posted_.store(sequence + 1, std::memory_order_seq_cst);
  return &slot;
}

Block SendQueue::cut(size_t max_bytes) {
  if (!cutting_.try_lock()) return {};
  Block block;
  const uint64_t sequence = cut_.load(std::memory_order_relaxed);
  if (sequence != posted_.load(std::memory_order_seq_cst)) {
    SendRequest& request = ring_[sequence % kRingSize];
    const size_t whole_lines = std::max(kLineBytes, max_bytes / kLineBytes * kLineBytes);
    block = {&request, offset_, std::min(whole_lines, request.bytes - offset_)};
    offset_ += block.bytes;
    if (offset_ == request.bytes) {
      offset_ = 0;
      cut_.store(sequence + 1, std::memory_order_release);
    }
  }
  cutting_.unlock();
  return block;
}

void SendQueue::sent(const Block& block) {
  block.request->unsent.fetch_sub(std::max<size_t>(block.bytes, 1), std::memory_order_acq_rel);
}

bool SendQueue::all_sent() const {
  return all_cut() && std::all_of(ring_.begin(), ring_.end(), [](const SendRequest& r) { return r.done(); });
}

bool SendQueue::uses(const transport::Region& region) const {
  return std::any_of(ring_.begin(), ring_.end(), [&](const SendRequest& request) {
    return !request.done() && region.overlaps(request.data, request.bytes);
  });
}

}  // namespace netsense::tcp
