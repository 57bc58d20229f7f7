// The LL protocol's lines: 16 bytes, two times four bytes of data with a flag that tells the receiver that
// they are there. Half of what is sent is flags; in turn nothing else needs to be waited for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace netsense::engine {

inline constexpr size_t kLineBytes = 16;
inline constexpr size_t kLineData = 8;

constexpr uint32_t line_flag(uint64_t step) {
  return static_cast<uint32_t>(step + 1);
}

// How many lines from `begin` on carry the flag, without a gap, at most up to `end`.
size_t lines_arrived(const std::byte* lines, size_t begin, size_t end, uint32_t flag);
// Reads the data of `bytes` bytes from lines that have arrived.
void read_lines(const std::byte* lines, std::byte* data, size_t bytes);
// The rest of the last line is zero.
void write_lines(std::byte* lines, const std::byte* data, size_t bytes, uint32_t flag);

}  // namespace netsense::engine
