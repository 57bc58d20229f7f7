// Framed blocks on their way into one stream, written with one system call as far as the kernel takes them.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <span>

#include "plugin/core/frame.h"
#include "plugin/transport/tcp/send_queue.h"

namespace netsense::tcp {

// A call for every block would cost more, and would leave each block's last bytes in a packet of their own.
class SendBatch {
 public:
  static constexpr size_t kMaxBlocks = 8;

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] bool full() const { return count_ == kMaxBlocks; }
  // Payload of the blocks in it.
  [[nodiscard]] size_t bytes() const { return bytes_; }
  // payload: what stands for the block on the wire; it stays where it is until wrote() says true. Not to be
  // called when full, nor after a part was written.
  void add(const Block& block, const core::FrameBytes& header, std::span<const std::byte> payload);
  // Whether the last block added is coded.
  [[nodiscard]] bool holds_coded() const {
    return count_ != 0 && payloads_[count_ - 1].size() != blocks_[count_ - 1].bytes;
  }
  // Where the next add() goes: below kMaxBlocks.
  [[nodiscard]] size_t next_slot() const { return count_; }

  using Parts = std::array<iovec, 2 * kMaxBlocks>;
  // What is not written yet; returns how many parts it is.
  size_t parts(Parts* parts) const;
  // Takes note that this many bytes were written: blocks handed over as a whole are done. True: so are all.
  bool wrote(size_t bytes);

 private:
  [[nodiscard]] size_t length(size_t i) const { return headers_[i].size() + payloads_[i].size(); }

  std::array<Block, kMaxBlocks> blocks_;
  std::array<core::FrameBytes, kMaxBlocks> headers_;
  std::array<std::span<const std::byte>, kMaxBlocks> payloads_;
  size_t count_ = 0;
  size_t bytes_ = 0;
  size_t first_ = 0;     // the first block that is not written to its end
  size_t position_ = 0;  // bytes of its header and payload already written
};

}  // namespace netsense::tcp
