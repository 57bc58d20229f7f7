// One instruction set's versions of the code that works on a sub-block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/lossy_kernels.h"
#include "kernels/cpu/work.h"

namespace netsense::kernels {

struct Backend {
  const char* name;

  // Codes the elements of a sub-block into `coded`, which has encoding_room() bytes; returns the coded
  // bytes, fewer than the elements have, or 0 where they do not shrink.
  size_t (*encode_sub_block)(Tier tier, const SubBlock& what, const uint8_t* elements, Work& work,
                             uint8_t* coded);

  // The reverse; false when the coded bytes are malformed.
  bool (*decode_sub_block)(const SubBlock& what, const uint8_t* coded, size_t bytes, Work& work,
                           uint8_t* elements);

  const LossyKernels* lossy;
};

}  // namespace netsense::kernels
