#include "plugin/config/text.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace netsense::config {
namespace {

constexpr size_t kLongestPrinted = 128;

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string to_lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table: two back, one back, and the one being filled.
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> above(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const char x = lower(a[i - 1]);
      const char y = lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (x == y ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y;
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string nearest_word(std::span<const std::string_view> words, std::string_view text) {
  // Far fewer words than this are meant to be near; it also bounds the work on a value from outside.
  constexpr size_t kLongest = 32;
  if (text.size() > kLongest) return "";
  std::string_view best;
  size_t best_distance = 0;
  for (const std::string_view word : words) {
    const size_t distance = edit_distance(text, word);
    if (best.empty() || distance < best_distance ||
        (distance == best_distance && word.size() > best.size())) {
      best = word;
      best_distance = distance;
    }
  }
  return best_distance * 2 <= best.size() ? std::string(best) : "";
}

std::string printable(std::string_view text) {
  std::string result(text.substr(0, kLongestPrinted));
  std::replace_if(result.begin(), result.end(), is_control, '?');
  if (text.size() > kLongestPrinted) result += "...";
  return result;
}

}  // namespace netsense::config
