#include "tests/engine/script/script.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace netsense::engine_test {
namespace {

template <typename T>
T parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::invalid_argument("not a number: " + std::string(text));
  }
  return value;
}

Step parse_step(std::string_view text) {
  Step step;
  if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    step.number = parse_number<size_t>(text.substr(colon + 1));
    text = text.substr(0, colon);
  }
  if (const size_t star = text.find('*'); star != std::string_view::npos) {
    step.times = parse_number<int>(text.substr(star + 1));
    text = text.substr(0, star);
  }
  step.name = text;
  return step;
}

}  // namespace

std::vector<Step> parse_script(std::string_view script) {
  std::vector<Step> steps;
  while (!script.empty()) {
    const size_t comma = std::min(script.find(','), script.size());
    steps.push_back(parse_step(script.substr(0, comma)));
    script.remove_prefix(std::min(comma + 1, script.size()));
  }
  return steps;
}

size_t largest_step(const std::vector<Step>& steps) {
  size_t largest = 0;
  for (const Step& step : steps) {
    if (step.name != "use") largest = std::max(largest, step.number);
  }
  return largest;
}

}  // namespace netsense::engine_test
