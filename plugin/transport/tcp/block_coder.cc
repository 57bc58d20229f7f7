#include "plugin/transport/tcp/block_coder.h"

namespace netsense::tcp {

BlockCoder::BlockCoder(size_t block_bytes)
    : slot_bytes_(kernels::max_coded_bytes(block_bytes)),
      slots_(std::make_unique_for_overwrite<std::byte[]>(SendBatch::kMaxBlocks * slot_bytes_)),
      scratch_(std::make_unique_for_overwrite<kernels::Scratch>()) {}

std::span<const std::byte> BlockCoder::encode(size_t slot, kernels::Tier tier, kernels::DType type,
                                              std::span<const std::byte> block) {
  std::byte* const out = slots_.get() + slot * slot_bytes_;
  const size_t coded = kernels::encode(tier, type, block.data(), block.size(), out, slot_bytes_, *scratch_);
  if (coded == 0 || coded >= block.size()) return {};
  return {out, coded};
}

}  // namespace netsense::tcp
