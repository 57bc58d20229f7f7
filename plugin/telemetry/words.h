// Text in words of 64 bits.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

#include "plugin/telemetry/layout.h"

namespace netsense::telemetry {

// Cut where it does not fit.
template <size_t Words>
void store_text(Text<Words>* words, std::string_view text) {
  for (Word& word : *words) {
    uint64_t bytes = 0;
    const size_t count = std::min(sizeof bytes, text.size());
    std::memcpy(&bytes, text.data(), count);
    text.remove_prefix(count);
    word.store(bytes, std::memory_order_release);  // for Revision
  }
}

}  // namespace netsense::telemetry
