#include "tools/perf/sizes.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "tools/perf/error.h"

namespace netsense::perf {
namespace {

[[noreturn]] void reject(std::string_view text) {
  throw UsageError("'{}' is not a size: write a number of bytes with an optional K, M or G, for example 64K",
                   text);
}

// The suffix in lower case with an optional "b" or "ib" removed.
double multiplier(std::string_view suffix, std::string_view whole) {
  std::string unit;
  for (const char letter : suffix)
    unit += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (unit.ends_with("ib") && unit.size() > 2) {
    unit.resize(unit.size() - 2);
  } else if (unit.ends_with('b')) {
    unit.resize(unit.size() - 1);
  }
  if (unit.empty()) return 1;
  if (unit == "k") return 0x1p10;
  if (unit == "m") return 0x1p20;
  if (unit == "g") return 0x1p30;
  reject(whole);
}

}  // namespace

size_t parse_size(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number) || number < 0) reject(text);
  const double bytes = number * multiplier({end, text.data() + text.size()}, text);
  if (bytes > 0x1p62) reject(text);
  return static_cast<size_t>(bytes);
}

std::vector<size_t> list_sizes(const SizeRange& range) {
  if (range.min_bytes > range.max_bytes) {
    throw UsageError("the smallest size ({}) exceeds the largest ({}): check -b and -e",
                     format_size(range.min_bytes), format_size(range.max_bytes));
  }
  if (range.factor == 0 || (range.factor == 1 && range.step_bytes == 0)) {
    throw UsageError("the sizes do not advance: give -f 2 or more, or -i 1 or more");
  }
  if (range.factor > 1 && range.min_bytes == 0) {
    throw UsageError("a series that multiplies cannot start at 0 bytes: give -b 1 or more, or use -i");
  }
  std::vector<size_t> sizes;
  size_t size = range.min_bytes;
  while (size <= range.max_bytes) {
    sizes.push_back(size);
    if (range.factor > 1) {
      if (size > SIZE_MAX / range.factor) break;
      size *= range.factor;
    } else {
      if (size > SIZE_MAX - range.step_bytes) break;
      size += range.step_bytes;
    }
  }
  return sizes;
}

std::string format_size(size_t bytes) {
  static constexpr std::array kUnits{"B", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  auto value = static_cast<double>(bytes);
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

}  // namespace netsense::perf
