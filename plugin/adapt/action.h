// What is decided for a block, and why.
#pragma once

#include <cstdint>

namespace netsense::adapt {

enum class Action : uint8_t { kRaw, kFast, kTight };

// These stand in trace files: they keep their values, and new ones come at the end.
enum class Reason : uint8_t {
  kNone = 0,
  // Of a message that is not to be coded at all.
  kOff = 1,           // compression is off, or the peer does not know how
  kTooSmall = 2,      // below the least size
  kUnregistered = 3,  // NCCL has not registered the memory
  kLowLatency = 4,    // NCCL's LL or LL128, or it might be
  kCoded = 10,        // its sender has compressed it
  // Of a block of any other.
  kBusy = 5,          // another stream was deciding
  kForced = 6,        // the setting names a codec
  kNotCongested = 7,  // the network is not the bottleneck
  kTrial = 8,         // to see what that codec does now
  kModel = 9,         // least by cost_model.h
};

}  // namespace netsense::adapt
