// Small text helpers of the settings.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace netsense::config {

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

constexpr bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// Without the blanks around it.
std::string_view trim(std::string_view text);

// ASCII only: names and values of settings are, whatever the locale.
std::string to_lower(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);

// How many single-character insertions, deletions, replacements and swaps of neighbours lead from a to b, no
// part being edited twice: the optimal string alignment variant of the Damerau-Levenshtein distance (Damerau,
// CACM 7(3), 1964). Case does not count. Time is a.size() x b.size(): bound what comes from outside.
size_t edit_distance(std::string_view a, std::string_view b);

// The one of `words` that is the fewest edits away from `text`, if at least half of it is there; empty if
// not. The longer one of two: letters are left out more often than they are mistaken ("of").
std::string nearest_word(std::span<const std::string_view> words, std::string_view text);

// Printable form of text from outside for a log line: control characters become '?', and a long text is cut.
std::string printable(std::string_view text);

}  // namespace netsense::config
