// How the caller's LossyScratch is used.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/lossy.h"
#include "kernels/cpu/work.h"

namespace netsense::kernels {

struct alignas(64) LossyWork {
  Scratch lossless;
  union {
    // What is kept, or all of a lossless block that is added.
    float values[kMaxLossyElements + kSlack];
    // Before: those among which the kept ones are.
    uint32_t magnitudes[kMaxLossyElements + kSlack];
  };
  uint16_t positions[kMaxLossyElements + kSlack];
  uint16_t gaps[kMaxLossyElements + kSlack];  // elements that are dropped before each that is kept
  uint8_t low[kMaxLossyElements + kSlack];    // the fields' bytes
  uint8_t high[kMaxLossyElements + kSlack];
  uint8_t bitmap[kMaxLossyElements / 8 + kSlack];
};
static_assert(sizeof(LossyWork) <= sizeof(LossyScratch));

}  // namespace netsense::kernels
