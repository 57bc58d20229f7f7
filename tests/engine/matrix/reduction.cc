#include "tests/engine/matrix/reduction.h"

#include <algorithm>
#include <cmath>

#include "tests/engine/matrix/number.h"

namespace netsense::engine_test {
namespace {

// splitmix64: spreads neighbouring inputs over all bits.
uint64_t mix(uint64_t value) {
  value += 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

Reduced reduce_integers(ns_type type, ns_op op, std::span<const double> inputs) {
  int64_t sum = 0;
  int64_t product = 1;
  for (const double input : inputs) {
    sum += static_cast<int64_t>(input);
    product *= static_cast<int64_t>(input);
  }
  const auto [least, most] = std::minmax_element(inputs.begin(), inputs.end());
  switch (op) {
    case ns_sum:
      return {wrap(type, sum), 0};
    case ns_prod:
      return {wrap(type, product), 0};
    case ns_max:
      return {*most, 0};
    case ns_min:
      return {*least, 0};
    default:
      return {std::trunc(wrap(type, sum) / static_cast<double>(inputs.size())), 0};
  }
}

}  // namespace

double input_number(ns_type type, ns_op op, uint64_t seed, int rank, size_t index) {
  const uint64_t bits = mix(mix(seed * 64 + static_cast<uint64_t>(rank)) + index);
  const auto pick = static_cast<int>(bits % 16);
  if (op == ns_prod) {
    const int magnitude = pick < 4 ? 2 : 1;
    return is_signed(type) && (bits & 0x100) != 0 ? -magnitude : magnitude;
  }
  // Sixteenths with one mantissa bit at most, so that float8_e5m2 has them: 0, 0.5, 1, 1.5, 2, 3.
  constexpr double kFractions[] = {0, 0.5, 1, 1.5, 2, 3};
  const double magnitude = is_integer(type) ? pick : kFractions[pick % 6];
  return is_signed(type) && (bits & 0x100) != 0 ? -magnitude : magnitude;
}

Reduced reduce_numbers(ns_type type, ns_op op, std::span<const double> inputs) {
  if (is_integer(type)) return reduce_integers(type, op, inputs);
  double sum = 0;
  double product = 1;
  double magnitude = 0;
  for (const double input : inputs) {
    sum += input;
    product *= input;
    magnitude += std::fabs(input);
  }
  // Each of n - 1 additions, and the scaling of an average, rounds by at most half an epsilon of the partial
  // result; products of powers of two are exact.
  const auto ranks = static_cast<double>(inputs.size());
  const double rounding = epsilon(type) * magnitude * ranks / 2;
  const auto [least, most] = std::minmax_element(inputs.begin(), inputs.end());
  switch (op) {
    case ns_sum:
      return {sum, rounding};
    case ns_prod:
      return {product, 0};
    case ns_max:
      return {*most, 0};
    case ns_min:
      return {*least, 0};
    default:
      return {sum / ranks, rounding / ranks + epsilon(type) * std::fabs(sum) / ranks};
  }
}

}  // namespace netsense::engine_test
