#include "tests/engine/script/expected.h"

#include <fmt/format.h>

#include <functional>

namespace netsense::engine_test {
namespace {

using Element = std::function<float(size_t)>;

std::string compare(const std::vector<float>& found, size_t count, const Element& expected) {
  for (size_t i = 0; i < count; ++i) {
    if (found[i] != expected(i)) return fmt::format("element {} is {}, not {}", i, found[i], expected(i));
  }
  return {};
}

}  // namespace

float input_value(int rank, size_t index) {
  constexpr size_t kPrime = 251;  // so that no two nearby places hold the same
  return static_cast<float>((index + static_cast<size_t>(rank) * 17) % kPrime);
}

float Expected::sum(size_t index) const {
  float total = 0;
  for (int peer = 0; peer < ranks; ++peer) total += input_value(peer, index);
  return total;
}

std::string Expected::first_wrong(const std::string& step, size_t count, const std::vector<float>& first,
                                  const std::vector<float>& second) const {
  const size_t part = count / static_cast<size_t>(ranks);
  const Element summed = [this](size_t i) { return sum(i); };
  const Element from_previous = [this](size_t i) { return input_value(previous(), i); };
  const Element gathered = [part](size_t i) { return input_value(static_cast<int>(i / part), i % part); };
  const Element exchanged = [this, part](size_t i) {
    return input_value(static_cast<int>(i / part), i % part + static_cast<size_t>(rank) * part);
  };
  if (step == "ar") return compare(first, count, summed);
  if (step == "ag") return compare(first, part * static_cast<size_t>(ranks), gathered);
  if (step == "rs") {
    return compare(first, part, [&](size_t i) { return sum(i + static_cast<size_t>(rank) * part); });
  }
  if (step == "bc") return compare(first, count, [](size_t i) { return input_value(0, i); });
  if (step == "rd") return rank == 0 ? compare(first, count, summed) : std::string();
  if (step == "sr") return compare(first, count, from_previous);
  if (step == "a2a" || step == "a2api") {
    return compare(first, part * static_cast<size_t>(ranks), exchanged);
  }
  const bool group = step == "grp";
  std::string wrong = compare(first, group ? count : count / 2, summed);
  if (!wrong.empty()) return wrong;
  return group ? compare(second, part * static_cast<size_t>(ranks), gathered)
               : compare(second, count / 2, from_previous);
}

}  // namespace netsense::engine_test
