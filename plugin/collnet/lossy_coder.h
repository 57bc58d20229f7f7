// Rounds the floats of a comm's calls as far as the network asks for it, and remembers what was lost.
#pragma once

#include <cstddef>
#include <span>

#include "plugin/collnet/call.h"

namespace netsense::collnet {

class LossyCoder {
 public:
  // The most bytes of a part's body.
  static size_t room(const Call& call, size_t elements) {
    return elements * std::max(call.element_size(), sizeof(float)) + 8;
  }

  void begin(Call& /*call*/) {}
  void end(Call& /*call*/) {}

  bool codes_inputs(const Call& /*call*/) { return false; }
  bool codes_sums(const Call& /*call*/) { return false; }
  size_t code_input(Call& /*call*/, const Range& /*elements*/, std::byte* /*to*/) { return 0; }
  size_t code_sum(Call& /*call*/, const Range& /*elements*/, float* /*sum*/, std::byte* /*to*/) { return 0; }
  bool add(std::span<const std::byte> /*coded*/, size_t /*elements*/, bool /*first*/, float* /*sum*/) {
    return false;
  }
  bool decode(Type /*type*/, std::span<const std::byte> /*coded*/, size_t /*elements*/, std::byte* /*to*/) {
    return false;
  }
};

}  // namespace netsense::collnet
