#include "tools/engine/device/line.h"

#include <algorithm>
#include <cstring>

namespace netsense::engine {
namespace {

constexpr size_t kHalf = 4;  // bytes of data per flag

// The network writes these buffers while they are polled; that is the protocol. Each eight bytes are read and
// written at once, so that a flag never comes before its data.
#if defined(__SANITIZE_THREAD__)
#define NETSENSE_POLLS __attribute__((no_sanitize("thread"), noinline))
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NETSENSE_POLLS __attribute__((no_sanitize("thread"), noinline))
#endif
#endif
#ifndef NETSENSE_POLLS
#define NETSENSE_POLLS
#endif

NETSENSE_POLLS uint64_t load(const std::byte* half_line) {
  return __atomic_load_n(reinterpret_cast<const uint64_t*>(half_line), __ATOMIC_ACQUIRE);
}

void store(std::byte* half_line, uint32_t data, uint32_t flag) {
  const uint64_t both = data | static_cast<uint64_t>(flag) << 32;
  __atomic_store_n(reinterpret_cast<uint64_t*>(half_line), both, __ATOMIC_RELEASE);
}

}  // namespace

size_t lines_arrived(const std::byte* lines, size_t begin, size_t end, uint32_t flag) {
  size_t line = begin;
  for (; line < end; ++line) {
    const std::byte* at = lines + line * kLineBytes;
    if (load(at) >> 32 != flag || load(at + kLineData) >> 32 != flag) break;
  }
  return line - begin;
}

void read_lines(const std::byte* lines, std::byte* data, size_t bytes) {
  size_t half = 0;
  for (; (half + 1) * kHalf <= bytes; ++half) {
    const auto value = static_cast<uint32_t>(load(lines + half * kLineData));
    std::memcpy(data + half * kHalf, &value, kHalf);
  }
  if (half * kHalf < bytes) {
    const auto value = static_cast<uint32_t>(load(lines + half * kLineData));
    std::memcpy(data + half * kHalf, &value, bytes - half * kHalf);
  }
}

void write_lines(std::byte* lines, const std::byte* data, size_t bytes, uint32_t flag) {
  const size_t halves = (bytes + kLineData - 1) / kLineData * 2;
  for (size_t half = 0; half < halves; ++half) {
    uint32_t value = 0;
    const size_t begin = half * kHalf;
    if (begin < bytes) std::memcpy(&value, data + begin, std::min(kHalf, bytes - begin));
    store(lines + half * kLineData, value, flag);
  }
}

}  // namespace netsense::engine
