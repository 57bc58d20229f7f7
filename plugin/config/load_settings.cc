// From the environment to Settings.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "plugin/config/lossy_values.h"
#include "plugin/config/settings.h"
#include "plugin/config/settings_table.h"
#include "plugin/config/text.h"

namespace netsense::config {
namespace {

constexpr std::string_view kPrefix = "NETSENSE_";
// Longer than any name of ours with a few slips in it; what is longer is not looked at letter by letter.
constexpr size_t kLongestName = 64;
// So few edits cannot be by chance: the shortest name has 15 letters.
constexpr size_t kSurelyMeant = 2;
constexpr size_t kProbablyMeant = 4;

using Environment = std::map<std::string_view, std::string_view>;

// nccl.conf keeps the blanks in "NAME = value", so both sides come trimmed; a value of nothing counts as not
// set.
Environment read_environment(const char* const* environment) {
  Environment variables;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view value = trim(entry.substr(equals + 1));
    if (!value.empty()) variables.emplace(trim(entry.substr(0, equals)), value);
  }
  return variables;
}

struct Nearest {
  std::string_view name;
  size_t distance = 0;
};

Nearest nearest_setting(std::string_view name) {
  Nearest best;
  for (const Setting& setting : settings_table()) {
    const size_t distance = edit_distance(name, setting.name);
    if (best.name.empty() || distance < best.distance) best = {setting.name, distance};
  }
  return best;
}

bool is_known(std::string_view name) {
  const auto table = settings_table();
  return std::any_of(table.begin(), table.end(),
                     [&](const Setting& setting) { return setting.name == name; });
}

void report_unknown_names(const Environment& variables, std::vector<Problem>* problems) {
  for (const auto& [name, value] : variables) {
    const bool ours = equals_ignoring_case(name.substr(0, kPrefix.size()), kPrefix);
    if (is_known(name)) continue;
    const std::string shown = printable(name);
    if (name.size() > kLongestName) {
      if (ours) problems->push_back({shown, fmt::format("{}: unknown setting, ignored", shown)});
      continue;
    }
    const Nearest nearest = nearest_setting(name);
    if (!ours && nearest.distance > kSurelyMeant) continue;
    const std::string help = nearest.distance <= kProbablyMeant
                                 ? fmt::format(", did you mean {}?", nearest.name)
                                 : std::string("; `netsense-info` lists them all");
    problems->push_back(
        {shown, fmt::format("{}={} is ignored: unknown setting{}", shown, printable(value), help)});
  }
}

struct BadValue {
  std::string_view variable;
  std::string_view value;
  bool from_nccl;
};

// Tries one variable. True when it gave the value.
bool take(const Setting& setting, std::string_view variable, const Environment& variables,
          LoadedSettings* loaded, std::vector<BadValue>* bad) {
  const auto found = variables.find(variable);
  if (variable.empty() || found == variables.end()) return false;
  const bool from_nccl = variable == setting.nccl_variable;
  if (!parse_value(setting, found->second, from_nccl, &loaded->settings)) {
    bad->push_back({variable, found->second, from_nccl});
    return false;
  }
  loaded->values.push_back({setting.name, print_value(setting, loaded->settings),
                            from_nccl ? Source::kNccl : Source::kNetsense,
                            from_nccl ? setting.nccl_variable : setting.name});
  return true;
}

std::string describe_bad_value(const Setting& setting, const BadValue& bad, const SettingValue& used) {
  const std::string nearest = nearest_value(setting, bad.value, bad.from_nccl);
  const std::string outcome =
      used.value.empty() ? "it is ignored"
                         : fmt::format("using {} ({})", used.value,
                                       used.source == Source::kDefault ? "the default" : used.variable);
  return fmt::format("{}={} is not {}{}; {}", bad.variable, printable(bad.value),
                     allowed_values(setting, bad.from_nccl),
                     nearest.empty() ? "" : fmt::format(", the nearest is {}", nearest), outcome);
}

void load_one(const Setting& setting, const Environment& variables, LoadedSettings* loaded) {
  std::vector<BadValue> bad;
  if (!take(setting, setting.name, variables, loaded, &bad) &&
      !take(setting, setting.nccl_variable, variables, loaded, &bad)) {
    loaded->values.push_back({setting.name, print_value(setting, loaded->settings), Source::kDefault, ""});
  }
  for (const BadValue& value : bad) {
    loaded->problems.push_back(
        {std::string(value.variable), describe_bad_value(setting, value, loaded->values.back())});
  }
}

}  // namespace

LoadedSettings load_settings(const char* const* environment) noexcept {
  try {
    const Environment variables = read_environment(environment);
    LoadedSettings loaded;
    for (const Setting& setting : settings_table()) load_one(setting, variables, &loaded);
    report_unknown_names(variables, &loaded.problems);
    return loaded;
  } catch (...) {
    return {};
  }
}

namespace {

std::string describe_lossless(const Settings& settings) {
  const std::string what = fmt::format("messages from {} KiB", (settings.min_coded_bytes + 1023) >> 10);
  switch (settings.codec) {
    case CodecChoice::kFast:
      return "lossless compression of all " + what + " (fast tier)";
    case CodecChoice::kTight:
      return "lossless compression of all " + what + " (tight tier)";
    case CodecChoice::kAuto:
      break;
  }
  return "lossless compression of " + what + " where it is faster";
}

}  // namespace

std::string describe_compression(const Settings& settings) {
  switch (settings.mode) {
    case Mode::kOff:
      return "no compression";
    case Mode::kLossless:
      return describe_lossless(settings);
    case Mode::kAdaptive:
      break;
  }
  std::string operations;
  for (const auto& [op, name] : {std::pair{LossyOp::kAllReduce, "all_reduce"},
                                 std::pair{LossyOp::kReduceScatter, "reduce_scatter"}}) {
    if ((settings.lossy_ops & static_cast<uint8_t>(op)) == 0) continue;
    operations += fmt::format("{}{}", operations.empty() ? "" : " and ", name);
  }
  return fmt::format(
      "{}; sums of f32, f16 and bf16 in {} of {} KiB and more are rounded where the network asks for it ({})",
      describe_lossless(settings), operations, (settings.lossy_min_bytes + 1023) >> 10,
      print_controller(settings.lossy_controller));
}

std::string changed_settings(const LoadedSettings& loaded) {
  std::string text;
  for (const SettingValue& value : loaded.values) {
    if (value.source == Source::kDefault) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", value.variable, value.value);
  }
  return text;
}

}  // namespace netsense::config
