// The receives that NCCL has posted, in order; message number n of the connection fills the n-th receive.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "plugin/transport/region.h"
#include "plugin/transport/tcp/send_queue.h"
#include "plugin/transport/transport.h"

namespace netsense::tcp {

inline constexpr uint64_t kUnknownSize = UINT64_MAX;

struct RecvRequest : transport::Request {
  uint64_t sequence = 0;
  std::byte* data = nullptr;
  size_t capacity = 0;
  uint32_t tag = 0;
  // Messages up to this size are stored in order (core::ordered_copy): the reader may poll flags among the
  // data.
  size_t careful_up_to = 0;
  bool in_use = false;                                // only NCCL's thread looks at it
  std::atomic<uint64_t> message_bytes{kUnknownSize};  // known from the first block on
  std::atomic<uint64_t> received{0};
  std::atomic<bool> done{false};
};

// One thread posts; any thread finds.
class RecvRing {
 public:
  // Null when the ring is full.
  RecvRequest* post(transport::Comm* owner, void* data, size_t capacity, int tag, transport::Reader reader);
  // The receive for a message. Null when NCCL has not posted it yet.
  RecvRequest* find(uint64_t sequence);
  [[nodiscard]] uint64_t posted() const { return posted_.load(std::memory_order_seq_cst); }
  // How many receives are posted and not completed.
  [[nodiscard]] size_t outstanding() const;
  // Whether a receive that is not completed goes into that memory. For NCCL's thread.
  [[nodiscard]] bool uses(const transport::Region& region) const;

 private:
  std::array<RecvRequest, kRingSize> ring_;
  std::atomic<uint64_t> posted_{0};
};

}  // namespace netsense::tcp
