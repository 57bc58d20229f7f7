// Message sizes as given on the command line, and the series of sizes to measure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace netsense::perf {

// "8", "64K", "1.5M", "2GiB": a number with an optional binary suffix, in bytes. Throws UsageError.
[[nodiscard]] size_t parse_size(std::string_view text);

struct SizeRange {
  size_t min_bytes = size_t{32} << 20;
  size_t max_bytes = size_t{32} << 20;
  size_t step_bytes = size_t{1} << 20;  // added when factor is 1
  size_t factor = 1;                    // multiplied by when greater than 1
};

// From min_bytes up to max_bytes. Throws UsageError when the range is empty or does not advance.
[[nodiscard]] std::vector<size_t> list_sizes(const SizeRange& range);

// "8 B", "64 KiB", "1.5 MiB": for messages to people.
[[nodiscard]] std::string format_size(size_t bytes);

}  // namespace netsense::perf
