// Compresses the blocks of one stream on their way out.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "kernels/cpu/codec.h"
#include "plugin/transport/tcp/send_batch.h"

namespace netsense::tcp {

// The memory is reserved when the stream is made, and touched only when something is coded.
class BlockCoder {
 public:
  explicit BlockCoder(size_t block_bytes);

  // The coded block, in the memory of that slot of the batch; empty when it would not be smaller.
  std::span<const std::byte> encode(size_t slot, kernels::Tier tier, kernels::DType type,
                                    std::span<const std::byte> block);

 private:
  size_t slot_bytes_;
  std::unique_ptr<std::byte[]> slots_;
  std::unique_ptr<kernels::Scratch> scratch_;
};

}  // namespace netsense::tcp
