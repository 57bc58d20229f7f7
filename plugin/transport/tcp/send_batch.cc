#include "plugin/transport/tcp/send_batch.h"

#include <algorithm>

namespace netsense::tcp {

void SendBatch::add(const Block& block, const core::FrameBytes& header, std::span<const std::byte> payload) {
  blocks_[count_] = block;
  headers_[count_] = header;
  payloads_[count_] = payload;
  ++count_;
  bytes_ += payload.size();
}

size_t SendBatch::parts(Parts* parts) const {
  size_t count = 0;
  const auto append = [&](const std::byte* data, size_t bytes, size_t skip) {
    if (skip < bytes) (*parts)[count++] = {const_cast<std::byte*>(data) + skip, bytes - skip};
  };
  for (size_t i = first_; i < count_; ++i) {
    const size_t skip = i == first_ ? position_ : 0;
    const size_t header = headers_[i].size();
    append(headers_[i].data(), header, skip);
    append(payloads_[i].data(), payloads_[i].size(), skip - std::min(skip, header));
  }
  return count;
}

bool SendBatch::wrote(size_t bytes) {
  position_ += bytes;
  while (first_ < count_ && position_ >= length(first_)) {
    position_ -= length(first_);
    SendQueue::sent(blocks_[first_++]);
  }
  if (first_ < count_) return false;
  count_ = first_ = bytes_ = 0;
  return true;
}

}  // namespace netsense::tcp
