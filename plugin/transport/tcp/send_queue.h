// The messages of a send comm, and how they are cut into blocks for its streams.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "plugin/adapt/action.h"
#include "plugin/transport/region.h"
#include "plugin/transport/tcp/try_lock.h"
#include "plugin/transport/transport.h"

namespace netsense::tcp {

// Twice what NCCL keeps in flight on a comm (NCCL_NET_MAX_REQUESTS).
inline constexpr size_t kRingSize = 64;
// Blocks end at multiples of this. It is the line of NCCL's LL128: were one in two blocks, the later one,
// which holds the flag, could arrive first on another stream.
inline constexpr size_t kLineBytes = 128;

// What a message may be sent as.
struct CodingHints {
  adapt::Reason held_back = adapt::Reason::kOff;  // why it is not compressed; kNone: it may be
  int data_type = -1;                             // ncclDataType_t; -1: unknown
  [[nodiscard]] bool codable() const { return held_back == adapt::Reason::kNone; }
};

struct SendRequest : transport::Request {
  uint64_t sequence = 0;
  const std::byte* data = nullptr;
  size_t bytes = 0;
  uint32_t tag = 0;
  CodingHints coding;
  bool in_use = false;  // only NCCL's thread looks at it
  // What has not been handed to the kernel yet; an empty message counts as one byte.
  std::atomic<size_t> unsent{0};

  [[nodiscard]] bool done() const { return unsent.load(std::memory_order_acquire) == 0; }
};

// A piece of a message; request is null when there is none.
struct Block {
  SendRequest* request = nullptr;
  size_t offset = 0;
  size_t bytes = 0;

  [[nodiscard]] std::span<const std::byte> raw() const { return {request->data + offset, bytes}; }
};

// One thread posts; any thread cuts.
class SendQueue {
 public:
  // Null when the ring is full.
  SendRequest* post(transport::Comm* owner, const void* data, size_t bytes, int tag, CodingHints coding = {});
  // The next piece, of at most max_bytes (but at least one line), in the order of the messages. None when all
  // is cut or another thread is cutting right now.
  Block cut(size_t max_bytes);
  // Marks a block as handed to the kernel.
  static void sent(const Block& block);

  [[nodiscard]] uint64_t posted() const { return posted_.load(std::memory_order_seq_cst); }
  [[nodiscard]] bool all_cut() const { return cut_.load(std::memory_order_acquire) == posted(); }
  [[nodiscard]] bool all_sent() const;
  // Whether a message that is not sent lies in that memory. For NCCL's thread.
  [[nodiscard]] bool uses(const transport::Region& region) const;

 private:
  std::array<SendRequest, kRingSize> ring_;
  std::atomic<uint64_t> posted_{0};  // messages posted
  std::atomic<uint64_t> cut_{0};     // messages cut to the end
  TryLock cutting_;
  size_t offset_ = 0;  // within message cut_; guarded by cutting_
};

}  // namespace netsense::tcp
