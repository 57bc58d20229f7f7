#include "plugin/config/lossy_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <vector>

#include "plugin/config/text.h"

namespace netsense::config {
namespace {

constexpr std::string_view kFixed = "fixed:";
constexpr std::string_view kLossless = "lossless";
constexpr std::string_view kTop = "top";
constexpr double kLeastTop = 0.0001;
constexpr double kDecimals = 1e6;
constexpr uint64_t kLeastBits = 2;
constexpr uint64_t kMostBits = 8;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The whole of `text` as an unsigned number.
std::optional<uint64_t> parse_whole(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Digits with at most one point among them, and one before and after it: neither signs nor exponents, which
// from_chars would take too.
std::optional<double> parse_fraction(std::string_view text) {
  const size_t point = std::min(text.find('.'), text.size());
  const auto all_digits = [](std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), is_digit);
  };
  if (!all_digits(text.substr(0, point))) return std::nullopt;
  if (point < text.size() && !all_digits(text.substr(point + 1))) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::round(value * kDecimals) / kDecimals;
}

// Without an exponent, which parse_fraction() would not take.
std::string print_fraction(double value) {
  std::string text = fmt::format("{:.6f}", value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// A fixed codec by its form alone: bits and fraction may be out of range.
struct Form {
  bool lossless = false;
  double keep = 1;
  uint64_t bits = 0;
};

std::optional<Form> parse_fixed(std::string_view text) {
  if (text == kLossless) return Form{.lossless = true};
  Form form;
  if (text.starts_with(kTop)) {
    const size_t q = std::min(text.find('q'), text.size());
    const std::optional<double> keep = parse_fraction(text.substr(kTop.size(), q - kTop.size()));
    if (!keep) return std::nullopt;
    form.keep = *keep;
    text.remove_prefix(q);
  }
  if (!text.starts_with('q')) return std::nullopt;
  const std::optional<uint64_t> bits = parse_whole(text.substr(1));
  if (!bits) return std::nullopt;
  form.bits = *bits;
  return form;
}

std::optional<ControllerChoice> parse_controller(std::string_view text) {
  if (text == "model") return ControllerChoice{};
  if (text == "netsenseml") return ControllerChoice{.rule = LossyRule::kNetSenseMl};
  if (!text.starts_with(kFixed)) return std::nullopt;
  const std::optional<Form> form = parse_fixed(text.substr(kFixed.size()));
  if (!form) return std::nullopt;
  if (form->lossless) return ControllerChoice{.rule = LossyRule::kFixed};
  if (form->bits < kLeastBits || form->bits > kMostBits || form->keep < kLeastTop || form->keep > 1) {
    return std::nullopt;
  }
  return ControllerChoice{LossyRule::kFixed, static_cast<uint8_t>(form->bits), form->keep};
}

std::vector<std::string_view> names_of(const ListType& type) {
  std::vector<std::string_view> names;
  for (const Choice& choice : type.choices) names.push_back(choice.name);
  return names;
}

// Calls `use` with each part between commas, without the blanks around it, until it returns false.
template <typename Use>
bool for_each_part(std::string_view text, const Use& use) {
  while (true) {
    const size_t comma = std::min(text.find(','), text.size());
    if (!use(trim(text.substr(0, comma)))) return false;
    if (comma == text.size()) return true;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

bool parse(const NumberType& type, std::string_view text, bool /*from_nccl*/, Settings* settings) {
  const std::optional<uint64_t> value = parse_whole(text);
  if (!value || *value < static_cast<uint64_t>(type.min) || *value > static_cast<uint64_t>(type.max)) {
    return false;
  }
  settings->*type.field = static_cast<int>(*value);
  return true;
}
bool parse(const FractionType& type, std::string_view text, bool /*from_nccl*/, Settings* settings) {
  const std::optional<double> value = parse_fraction(text);
  if (!value || *value < type.min || *value > type.max) return false;
  settings->*type.field = *value;
  return true;
}
bool parse(const ListType& type, std::string_view text, bool /*from_nccl*/, Settings* settings) {
  uint8_t set = 0;
  const bool good = for_each_part(text, [&](std::string_view part) {
    for (const Choice& choice : type.choices) {
      if (!equals_ignoring_case(choice.name, part)) continue;
      set = static_cast<uint8_t>(set | choice.value);
      return true;
    }
    return false;
  });
  if (good) settings->*type.field = set;
  return good;
}
bool parse(const ControllerType& type, std::string_view text, bool /*from_nccl*/, Settings* settings) {
  const std::optional<ControllerChoice> choice = parse_controller(to_lower(text));
  if (!choice) return false;
  settings->*type.field = *choice;
  return true;
}

std::string print(const NumberType& type, const Settings& settings) {
  return fmt::format("{}", settings.*type.field);
}
std::string print(const FractionType& type, const Settings& settings) {
  return print_fraction(settings.*type.field);
}
std::string print(const ListType& type, const Settings& settings) {
  std::string list;
  for (const Choice& choice : type.choices) {
    if ((settings.*type.field & choice.value) == 0) continue;
    list += fmt::format("{}{}", list.empty() ? "" : ",", choice.name);
  }
  return list;
}
std::string print(const ControllerType& type, const Settings& settings) {
  return print_controller(settings.*type.field);
}

std::string allowed(const NumberType& type, bool /*from_nccl*/) {
  return fmt::format("an integer from {} to {}", type.min, type.max);
}
std::string allowed(const FractionType& type, bool /*from_nccl*/) {
  return fmt::format("a number from {} to {}", print_fraction(type.min), print_fraction(type.max));
}
std::string allowed(const ListType& type, bool /*from_nccl*/) {
  return fmt::format("a list of {}", fmt::join(names_of(type), ", "));
}
std::string allowed(const ControllerType& /*type*/, bool /*from_nccl*/) {
  return fmt::format(
      "model or netsenseml or fixed:lossless or fixed:q2 to fixed:q8 (bits of a value) or such as "
      "fixed:top0.01q4 (part of the values, from {} to 1, and bits)",
      print_fraction(kLeastTop));
}

std::string nearest(const NumberType& type, std::string_view text, bool /*from_nccl*/) {
  const std::optional<uint64_t> value = parse_whole(text);
  if (!value) return "";
  return fmt::format(
      "{}", std::clamp<uint64_t>(*value, static_cast<uint64_t>(type.min), static_cast<uint64_t>(type.max)));
}
std::string nearest(const FractionType& type, std::string_view text, bool /*from_nccl*/) {
  const std::optional<double> value = parse_fraction(text);
  return value ? print_fraction(std::clamp(*value, type.min, type.max)) : "";
}
// Each part as it was probably meant; nothing when that is not clear of one of them.
std::string nearest(const ListType& type, std::string_view text, bool /*from_nccl*/) {
  const std::vector<std::string_view> names = names_of(type);
  std::string list;
  Settings settings;
  for_each_part(text, [&](std::string_view part) {
    const std::string word = nearest_word(names, part);
    list = word.empty() ? "" : fmt::format("{}{}{}", list, list.empty() ? "" : ",", word);
    return !word.empty();
  });
  return !list.empty() && parse(type, list, false, &settings) ? print(type, settings) : "";
}
std::string nearest(const ControllerType& /*type*/, std::string_view text, bool /*from_nccl*/) {
  std::string lower = to_lower(text);
  if (!lower.starts_with(kFixed) && parse_fixed(lower)) lower.insert(0, kFixed);
  const std::optional<Form> form =
      lower.starts_with(kFixed) ? parse_fixed(std::string_view(lower).substr(kFixed.size())) : std::nullopt;
  if (!form) {
    // With a number in it, it was not meant to be one of the words.
    if (std::any_of(lower.begin(), lower.end(), is_digit)) return "";
    return nearest_word(std::array<std::string_view, 3>{"model", "netsenseml", "fixed:lossless"}, lower);
  }
  if (form->lossless) return print_controller({.rule = LossyRule::kFixed});
  return print_controller({LossyRule::kFixed,
                           static_cast<uint8_t>(std::clamp(form->bits, kLeastBits, kMostBits)),
                           std::clamp(form->keep, kLeastTop, 1.0)});
}

std::string print_controller(const ControllerChoice& choice) {
  switch (choice.rule) {
    case LossyRule::kModel:
      return "model";
    case LossyRule::kNetSenseMl:
      return "netsenseml";
    case LossyRule::kFixed:
      break;
  }
  if (choice.bits == 0) return fmt::format("{}{}", kFixed, kLossless);
  if (choice.keep >= 1) return fmt::format("{}q{}", kFixed, choice.bits);
  return fmt::format("{}{}{}q{}", kFixed, kTop, print_fraction(choice.keep), choice.bits);
}

}  // namespace netsense::config
