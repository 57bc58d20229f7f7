// The one annotated list of settings. Parsing, printing, the checks, docs/settings.md and netsense-info all
// come from it; the defaults are those of Settings itself.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "plugin/config/settings.h"

namespace netsense::config {

// One of a few names, each for a value of an enumeration.
struct Choice {
  std::string_view name;
  std::string_view nccl_name;  // as NCCL's own variable spells it; empty: NCCL has no such value
  int value;
};
struct ChoiceType {
  int (*get)(const Settings& settings);
  void (*set)(Settings* settings, int value);
  std::span<const Choice> choices;
};
template <auto Field>
constexpr ChoiceType choice_of(std::span<const Choice> choices) {
  return {[](const Settings& settings) { return static_cast<int>(settings.*Field); },
          [](Settings* settings, int value) {
            auto& field = settings->*Field;
            field = static_cast<std::remove_reference_t<decltype(field)>>(value);
          },
          choices};
}

// An integer, or "auto".
struct CountType {
  std::optional<int> Settings::*field;
  int min;
  int max;
};

// An integer.
struct NumberType {
  int Settings::*field;
  int min;
  int max;
};

// A number from 0 to 1; decimals after the sixth are dropped.
struct FractionType {
  double Settings::*field;
  double min;
  double max;
};

// Some of a few names, at least one, with commas between them. The values of the choices are bits of the
// field.
struct ListType {
  uint8_t Settings::*field;
  std::span<const Choice> choices;
};

// NETSENSE_LOSSY_CONTROLLER: model, netsenseml, fixed:lossless, fixed:q4, fixed:top0.01q4.
struct ControllerType {
  ControllerChoice Settings::*field;
};

// Bytes, with K, M or G for powers of 1024.
struct SizeType {
  size_t Settings::*field;
  size_t min;
  size_t max;
};

// Seconds, with decimals.
struct SecondsType {
  std::chrono::milliseconds Settings::*field;
  std::chrono::milliseconds min;
  std::chrono::milliseconds max;
};

struct SwitchType {
  bool Settings::*field;
};

struct TextType {
  std::string Settings::*field;
  std::string_view form;                 // what a valid value is, for people
  bool (*valid)(std::string_view text);  // text has no blanks around it and is not empty
};

struct Setting {
  std::string_view name;           // NETSENSE_...
  std::string_view nccl_variable;  // read when `name` is not set; empty: none
  std::string_view unit;           // empty: none
  std::string_view empty_means;    // what an empty default stands for; empty: the default is not empty
  std::string_view help;
  std::variant<ChoiceType, CountType, NumberType, FractionType, ListType, ControllerType, SizeType,
               SecondsType, SwitchType, TextType>
      type;
};

std::span<const Setting> settings_table();

// Stores `text` in its field. False, and nothing stored, when it is not a valid value. from_nccl: the text
// comes from nccl_variable.
bool parse_value(const Setting& setting, std::string_view text, bool from_nccl, Settings* settings);

// The value as a user would write it.
std::string print_value(const Setting& setting, const Settings& settings);

// What is allowed, for people: "an integer from 1 to 16, or auto".
std::string allowed_values(const Setting& setting, bool from_nccl);

// The valid value that `text` was probably meant to be; empty when there is none to name.
std::string nearest_value(const Setting& setting, std::string_view text, bool from_nccl);

}  // namespace netsense::config
