#include "plugin/core/ordered_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace netsense::core {
namespace {

void copy_bytes(unsigned char* to, const unsigned char* from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) __atomic_store_n(to + i, from[i], __ATOMIC_RELEASE);
}

}  // namespace

void ordered_copy(void* to, const void* from, size_t bytes) {
  auto* out = static_cast<unsigned char*>(to);
  const auto* in = static_cast<const unsigned char*>(from);
  const size_t lead = std::min(bytes, static_cast<size_t>(-reinterpret_cast<uintptr_t>(out) & 7U));
  copy_bytes(out, in, lead);
  out += lead;
  in += lead;
  bytes -= lead;
  // A release store is a plain store on x86 and orders the flag word behind its data everywhere else.
  for (; bytes >= 8; bytes -= 8, out += 8, in += 8) {
    uint64_t word;
    std::memcpy(&word, in, sizeof word);
    __atomic_store_n(reinterpret_cast<uint64_t*>(out), word, __ATOMIC_RELEASE);
  }
  copy_bytes(out, in, bytes);
}

}  // namespace netsense::core
