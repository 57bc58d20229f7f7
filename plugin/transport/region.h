// Memory that NCCL registered on a comm, and what NCCL keeps in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "plugin/transport/transport.h"

namespace netsense::transport {

// NCCL's protocol for a buffer. LL and LL128 carry flags among the data that the receiver polls.
enum class BufferKind : uint8_t { kSimple, kLowLatency };

// NCCL's buffer sizes per connection, in bytes (init.cc of NCCL: LL 512 threads x 8 lines x 8 steps x 16 B;
// LL128 640 threads x 120 elements x 8 steps x 8 B), or what NCCL_LL_BUFFSIZE and NCCL_LL128_BUFFSIZE say.
struct LowLatencySizes {
  size_t ll = 524288;
  size_t ll128 = 4915200;
};
LowLatencySizes low_latency_sizes();

// NCCL registers one buffer per protocol; only those of LL and LL128 have exactly these sizes. Not a
// documented contract: a buffer that merely looks like one is treated with the same care, and RegionTable
// looks at the order too.
BufferKind classify(size_t bytes, const LowLatencySizes& sizes);

class Region {
 public:
  Region(void* data, size_t bytes, BufferKind kind) : data_(data), bytes_(bytes), kind_(kind) {}
  [[nodiscard]] BufferKind kind() const { return kind_; }
  // Not only not recognised as another's, but the Simple buffer of its connection.
  [[nodiscard]] bool surely_simple() const { return surely_simple_; }
  // Whether any byte of the other range lies within.
  [[nodiscard]] bool overlaps(const void* data, size_t bytes) const {
    const auto begin = reinterpret_cast<uintptr_t>(data_);
    const auto other = reinterpret_cast<uintptr_t>(data);
    return begin < other + bytes && other < begin + bytes_;
  }

 private:
  void* data_;
  size_t bytes_;
  BufferKind kind_;
  bool surely_simple_ = false;
  friend class RegionTable;
};

// The regions of one comm. Used from one thread at a time, as NCCL does.
class RegionTable {
 public:
  // Only host memory; anything else is an error with a WARN.
  Status add(void* data, size_t bytes, MemoryType type, Region** region);
  Status remove(Region* region);
  // To be called before the first transfer. NCCL registers a connection's buffers when it makes it, always in
  // the order LL, LL128, Simple, or LL, Simple for send/recv; memory of users comes later. So the order tells
  // what the sizes do not when they are not the known ones.
  void settle();

 private:
  bool settled_ = false;
  std::vector<std::unique_ptr<Region>> regions_;
};

}  // namespace netsense::transport
