// How each type of setting is read, printed and explained.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "plugin/config/lossy_values.h"
#include "plugin/config/settings_table.h"
#include "plugin/config/text.h"

namespace netsense::config {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kAuto = "auto";

struct SwitchWord {
  std::string_view word;
  bool value;
};
// The first two are the ones we print.
constexpr std::array kSwitchWords{
    SwitchWord{"on", true},   SwitchWord{"off", false},   SwitchWord{"1", true},   SwitchWord{"0", false},
    SwitchWord{"true", true}, SwitchWord{"false", false}, SwitchWord{"yes", true}, SwitchWord{"no", false}};

struct Suffix {
  char letter;
  int shift;
};
constexpr std::array kSuffixes{Suffix{'g', 30}, Suffix{'m', 20}, Suffix{'k', 10}};

// The whole of `text` as an unsigned number.
std::optional<uint64_t> parse_unsigned(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<uint64_t> parse_size(std::string_view text) {
  const std::string lower = to_lower(text);
  std::string_view digits = lower;
  if (digits.ends_with("ib")) {
    digits.remove_suffix(2);
  } else if (digits.ends_with('b')) {
    digits.remove_suffix(1);
  }
  int shift = 0;
  for (const Suffix& suffix : kSuffixes) {
    if (digits.ends_with(suffix.letter)) shift = suffix.shift;
  }
  if (shift != 0) digits = trim(digits.substr(0, digits.size() - 1));
  const std::optional<uint64_t> value = parse_unsigned(digits);
  if (!value || *value > (UINT64_MAX >> shift)) return std::nullopt;
  return *value << shift;
}

std::string print_size(uint64_t bytes) {
  for (const Suffix& suffix : kSuffixes) {
    const uint64_t unit = uint64_t{1} << suffix.shift;
    if (bytes >= unit && bytes % unit == 0) {
      return fmt::format("{}{}", bytes / unit, static_cast<char>(suffix.letter - 'a' + 'A'));
    }
  }
  return fmt::format("{}", bytes);
}

// "1.5", "1.5s" or "1500ms", in milliseconds; more decimals than that are dropped. By hand: strtod depends on
// the locale.
std::optional<milliseconds> parse_seconds(std::string_view text) {
  constexpr uint64_t kMost = uint64_t{1} << 40;
  const std::string lower = to_lower(text);
  std::string_view number = lower;
  const bool in_milliseconds = number.ends_with("ms");
  number.remove_suffix(in_milliseconds ? 2 : number.ends_with('s') ? 1 : 0);
  number = trim(number);
  const size_t point = std::min(number.find('.'), number.size());
  const std::optional<uint64_t> whole = parse_unsigned(number.substr(0, point));
  if (!whole || *whole > kMost) return std::nullopt;
  if (in_milliseconds) return point == number.size() ? std::optional(milliseconds(*whole)) : std::nullopt;
  uint64_t thousandths = 0;
  if (point != number.size()) {
    const std::string_view decimals = number.substr(point + 1);
    if (decimals.empty() ||
        !std::all_of(decimals.begin(), decimals.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      return std::nullopt;
    }
    for (size_t i = 0; i < 3; ++i) {
      thousandths = thousandths * 10 + static_cast<uint64_t>(i < decimals.size() ? decimals[i] - '0' : 0);
    }
  }
  return milliseconds(*whole * 1000 + thousandths);
}

std::string print_seconds(milliseconds value) {
  if (value.count() % 1000 == 0) return fmt::format("{}", value.count() / 1000);
  std::string text = fmt::format("{}.{:03}", value.count() / 1000, value.count() % 1000);
  while (text.ends_with('0')) text.pop_back();
  return text;
}

std::string_view name_of(const Choice& choice, bool from_nccl) {
  return from_nccl ? choice.nccl_name : choice.name;
}

template <typename Number>
Number nearest_in_range(Number value, Number min, Number max) {
  return std::clamp(value, min, max);
}

// One overload per type for each question; the callers below visit.

bool parse(const ChoiceType& type, std::string_view text, bool from_nccl, Settings* settings) {
  for (const Choice& choice : type.choices) {
    const std::string_view name = name_of(choice, from_nccl);
    // NCCL compares its own variable exactly: a value that it ignores must not mean something to us.
    if (name.empty() || !(from_nccl ? name == text : equals_ignoring_case(name, text))) continue;
    type.set(settings, choice.value);
    return true;
  }
  return false;
}

bool parse(const CountType& type, std::string_view text, bool /*from_nccl*/, Settings* settings) {
  if (equals_ignoring_case(text, kAuto)) {
    settings->*type.field = std::nullopt;
    return true;
  }
  const std::optional<uint64_t> value = parse_unsigned(text);
  if (!value || *value < static_cast<uint64_t>(type.min) || *value > static_cast<uint64_t>(type.max))
    return false;
  settings->*type.field = static_cast<int>(*value);
  return true;
}

bool parse(const SizeType& type, std::string_view text, bool /*from_nccl*/, Settings* settings) {
  const std::optional<uint64_t> value = parse_size(text);
  if (!value || *value < type.min || *value > type.max) return false;
  settings->*type.field = *value;
  return true;
}

bool parse(const SecondsType& type, std::string_view text, bool /*from_nccl*/, Settings* settings) {
  const std::optional<milliseconds> value = parse_seconds(text);
  if (!value || *value < type.min || *value > type.max) return false;
  settings->*type.field = *value;
  return true;
}

bool parse(const SwitchType& type, std::string_view text, bool /*from_nccl*/, Settings* settings) {
  for (const SwitchWord& known : kSwitchWords) {
    if (!equals_ignoring_case(known.word, text)) continue;
    settings->*type.field = known.value;
    return true;
  }
  return false;
}

bool parse(const TextType& type, std::string_view text, bool /*from_nccl*/, Settings* settings) {
  if (!type.valid(text)) return false;
  settings->*type.field = text;
  return true;
}

std::string print(const ChoiceType& type, const Settings& settings) {
  const auto found = std::ranges::find(type.choices, type.get(settings), &Choice::value);
  return std::string(found->name);
}
std::string print(const CountType& type, const Settings& settings) {
  const std::optional<int> value = settings.*type.field;
  return value ? fmt::format("{}", *value) : std::string(kAuto);
}
std::string print(const SizeType& type, const Settings& settings) {
  return print_size(settings.*type.field);
}
std::string print(const SecondsType& type, const Settings& settings) {
  return print_seconds(settings.*type.field);
}
std::string print(const SwitchType& type, const Settings& settings) {
  return std::string(kSwitchWords[settings.*type.field ? 0 : 1].word);
}
std::string print(const TextType& type, const Settings& settings) {
  return settings.*type.field;
}

std::string allowed(const ChoiceType& type, bool from_nccl) {
  std::string list;
  for (const Choice& choice : type.choices) {
    const std::string_view name = name_of(choice, from_nccl);
    if (!name.empty()) list += fmt::format("{}{}", list.empty() ? "" : " or ", name);
  }
  return list;
}
std::string allowed(const CountType& type, bool /*from_nccl*/) {
  return fmt::format("an integer from {} to {}, or {}", type.min, type.max, kAuto);
}
std::string allowed(const SizeType& type, bool /*from_nccl*/) {
  return fmt::format("a size from {} to {}", print_size(type.min), print_size(type.max));
}
std::string allowed(const SecondsType& type, bool /*from_nccl*/) {
  return fmt::format("a time from {} to {} seconds", print_seconds(type.min), print_seconds(type.max));
}
std::string allowed(const SwitchType& /*type*/, bool /*from_nccl*/) {
  return "on or off";
}
std::string allowed(const TextType& type, bool /*from_nccl*/) {
  return std::string(type.form);
}

std::string nearest(const ChoiceType& type, std::string_view text, bool from_nccl) {
  std::vector<std::string_view> names;
  for (const Choice& choice : type.choices) {
    const std::string_view name = name_of(choice, from_nccl);
    if (!name.empty()) names.push_back(name);
  }
  return nearest_word(names, text);
}
std::string nearest(const CountType& type, std::string_view text, bool /*from_nccl*/) {
  const std::optional<uint64_t> value = parse_unsigned(text);
  if (!value) return nearest_word({{kAuto}}, text);
  return fmt::format("{}", nearest_in_range<uint64_t>(*value, static_cast<uint64_t>(type.min),
                                                      static_cast<uint64_t>(type.max)));
}
std::string nearest(const SizeType& type, std::string_view text, bool /*from_nccl*/) {
  const std::optional<uint64_t> value = parse_size(text);
  return value ? print_size(nearest_in_range<uint64_t>(*value, type.min, type.max)) : "";
}
std::string nearest(const SecondsType& type, std::string_view text, bool /*from_nccl*/) {
  const std::optional<milliseconds> value = parse_seconds(text);
  return value ? print_seconds(nearest_in_range(*value, type.min, type.max)) : "";
}
std::string nearest(const SwitchType& /*type*/, std::string_view text, bool /*from_nccl*/) {
  std::array<std::string_view, kSwitchWords.size()> words;
  std::ranges::transform(kSwitchWords, words.begin(), &SwitchWord::word);
  return nearest_word(words, text);
}
std::string nearest(const TextType& /*type*/, std::string_view /*text*/, bool /*from_nccl*/) {
  return "";
}

}  // namespace

bool parse_value(const Setting& setting, std::string_view text, bool from_nccl, Settings* settings) {
  return std::visit([&](const auto& type) { return parse(type, text, from_nccl, settings); }, setting.type);
}

std::string print_value(const Setting& setting, const Settings& settings) {
  return std::visit([&](const auto& type) { return print(type, settings); }, setting.type);
}

std::string allowed_values(const Setting& setting, bool from_nccl) {
  return std::visit([&](const auto& type) { return allowed(type, from_nccl); }, setting.type);
}

std::string nearest_value(const Setting& setting, std::string_view text, bool from_nccl) {
  return std::visit([&](const auto& type) { return nearest(type, text, from_nccl); }, setting.type);
}

}  // namespace netsense::config
