#include <algorithm>
#include <cctype>
#include <span>
#include <vector>

#include "tools/engine/plan/cost.h"

namespace netsense::engine {
namespace {

constexpr std::array<std::string_view, kCollFunctions> kFunctionNames{"Broadcast", "Reduce", "AllGather",
                                                                      "ReduceScatter", "AllReduce"};
constexpr std::array<std::string_view, kAlgorithms> kAlgorithmNames{
    "Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"};
constexpr std::array<std::string_view, kProtocols> kProtocolNames{"LL", "LL128", "Simple"};

bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(a[i])) != std::tolower(static_cast<unsigned char>(b[i])))
      return false;
  }
  return true;
}

// Empty pieces are skipped, as strtok does.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) pieces.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

int find_name(std::span<const std::string_view> names, std::string_view name) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (same_word(names[i], name)) return static_cast<int>(i);
  }
  return -1;
}

// One list such as "ring,tree" or "^LL" for one function. Returns the word it does not know, empty if none.
std::string_view apply_list(std::string_view list, std::span<const std::string_view> names,
                            std::span<bool> on) {
  const bool exclude = list.starts_with('^');
  if (exclude) list.remove_prefix(1);
  for (bool& entry : on) entry = exclude;
  for (const std::string_view word : split(list, ',')) {
    const int place = find_name(names, word);
    if (place < 0) return word;
    on[static_cast<size_t>(place)] = !exclude;
  }
  return {};
}

// "list;function:list;function:list": the first entry alone may lack a function and then holds for all of
// them.
template <size_t Count>
ns_result apply_value(std::string_view value, const std::array<std::string_view, Count>& names,
                      std::array<std::array<bool, Count>, kCollFunctions>& on, std::string& error) {
  bool first = true;
  for (const std::string_view entry : split(value, ';')) {
    const std::vector<std::string_view> parts = split(entry, ':');
    if (parts.empty()) continue;
    const bool for_all = parts.size() == 1;
    if (for_all && !first) {
      error = "All entries except the first must have a prefix: \"" + std::string(value) + "\"";
      return ns_invalid_usage;
    }
    first = false;
    const int only = for_all ? -1 : find_name(kFunctionNames, parts[0]);
    if (!for_all && only < 0) {
      error = "Unrecognized prefix token \"" + std::string(parts[0]) + "\" when parsing \"" +
              std::string(value) + "\"";
      return ns_invalid_usage;
    }
    for (int function = 0; function < kCollFunctions; ++function) {
      if (!for_all && function != only) continue;
      const std::string_view unknown = apply_list(parts.back(), names, on[static_cast<size_t>(function)]);
      if (!unknown.empty()) {
        error = "Unrecognized element token \"" + std::string(unknown) + "\" when parsing \"" +
                std::string(value) + "\"";
        return ns_invalid_usage;
      }
    }
  }
  return ns_success;
}

}  // namespace

ns_result parse_choices(std::string_view algo, std::string_view proto, Choices& choices, std::string& error) {
  for (auto& function : choices.algorithms) function.fill(true);
  for (auto& function : choices.protocols) function.fill(true);
  const ns_result result = apply_value(algo, kAlgorithmNames, choices.algorithms, error);
  return result == ns_success ? apply_value(proto, kProtocolNames, choices.protocols, error) : result;
}

}  // namespace netsense::engine
