#include "tools/perf/expectation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace netsense::perf {
namespace {

// Which results are right for one element, besides the very bytes expected.
struct Acceptable {
  double value = 0;
  double tolerance = 0;
  bool finite = true;       // false: the inputs hold NaN or infinities, so the result must
  bool not_finite = false;  // an intermediate result may overflow, or the above
  bool anything = false;    // implementations differ: NaN in min or max, overflow in 8-bit formats
};

// Running reduction of one floating-point element over the ranks.
struct FloatTerms {
  double sum = 0;
  double sum_of_magnitudes = 0;
  double product = 1;
  double largest_partial_product = 1;  // of any subset of the factors
  double smallest_partial_product = 1;
  double largest = -std::numeric_limits<double>::infinity();
  double smallest = std::numeric_limits<double>::infinity();
  bool whole = true;          // all are whole numbers
  bool powers_of_two = true;  // all are powers of two
  bool finite = true;
  bool has_nan = false;

  void add(double x) {
    sum += x;
    sum_of_magnitudes += std::fabs(x);
    product *= x;
    largest_partial_product *= std::max(std::fabs(x), 1.0);
    smallest_partial_product *= std::min(std::fabs(x), 1.0);
    largest = std::max(largest, x);
    smallest = std::min(smallest, x);
    whole = whole && std::nearbyint(x) == x;
    int exponent = 0;
    powers_of_two = powers_of_two && std::fabs(std::frexp(x, &exponent)) == 0.5;
    finite = finite && std::isfinite(x);
    has_nan = has_nan || std::isnan(x);
  }
};

bool is_power_of_two(size_t n) {
  return (n & (n - 1)) == 0;
}

// Of one operation, relative. The reference computes in double: for that type it rounds as often itself.
double rounding_error(const TypeInfo& type) {
  return unit_roundoff(type) * (type.type == ns_float64 ? 2 : 1);
}

Acceptable accept_sum(const TypeInfo& type, const FloatTerms& terms, size_t ranks) {
  const auto n = static_cast<double>(ranks);
  const bool exact = terms.whole && terms.sum_of_magnitudes <= exact_integer_limit(type);
  Acceptable right{.value = terms.sum};
  if (!exact) right.tolerance = n * rounding_error(type) * terms.sum_of_magnitudes + n * type.smallest;
  right.finite = terms.finite;
  right.not_finite = !terms.finite || terms.sum_of_magnitudes > type.largest;
  return right;
}

Acceptable accept_average(const TypeInfo& type, const FloatTerms& terms, size_t ranks) {
  const auto n = static_cast<double>(ranks);
  const bool exact =
      terms.whole && terms.sum_of_magnitudes <= exact_integer_limit(type) && is_power_of_two(ranks);
  Acceptable right{.value = terms.sum / n};
  if (!exact) {
    right.tolerance = (n + 2) * rounding_error(type) * terms.sum_of_magnitudes / n + n * type.smallest;
  }
  right.finite = terms.finite;
  right.not_finite = !terms.finite || terms.sum_of_magnitudes > type.largest;
  return right;
}

Acceptable accept_product(const TypeInfo& type, const FloatTerms& terms, size_t ranks) {
  const auto n = static_cast<double>(ranks);
  Acceptable right{.value = terms.product};
  right.finite = terms.finite;
  right.not_finite = !terms.finite || terms.largest_partial_product > type.largest;
  const bool exact =
      terms.powers_of_two && !right.not_finite && terms.smallest_partial_product >= type.smallest;
  if (!exact) {
    right.tolerance = n * rounding_error(type) * std::fabs(terms.product) +
                      n * type.smallest * terms.largest_partial_product;
  }
  return right;
}

Acceptable accept_by_op(const TypeInfo& type, ns_op op, const FloatTerms& terms, size_t ranks) {
  switch (op) {
    case ns_sum:
      return accept_sum(type, terms, ranks);
    case ns_avg:
      return accept_average(type, terms, ranks);
    case ns_prod:
      return accept_product(type, terms, ranks);
    default:
      return {.value = op == ns_max ? terms.largest : terms.smallest, .anything = terms.has_nan};
  }
}

Acceptable accept(const TypeInfo& type, ns_op op, const FloatTerms& terms, size_t ranks) {
  Acceptable right = accept_by_op(type, op, terms, ranks);
  // CUDA converts to the 8-bit formats with saturation: what follows the first overflow depends on the order.
  const bool saturates = type.bytes == 1;
  if (saturates && (right.not_finite || !terms.finite)) right.anything = true;
  return right;
}

// Sum, product, minimum and maximum as the hardware computes them: modulo the width of the type.
uint64_t combine(const TypeInfo& type, ns_op op, uint64_t a, uint64_t b) {
  if (op == ns_prod) return a * b;
  if (op == ns_sum || op == ns_avg) return a + b;
  const bool less = type.is_signed ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
  return less == (op == ns_min) ? a : b;
}

uint64_t widen(const TypeInfo& type, uint64_t bits) {
  return type.is_signed ? static_cast<uint64_t>(signed_value(type, bits)) : bits;
}

// NCCL divides an integer average after the sum, towards zero.
uint64_t divide(const TypeInfo& type, uint64_t sum, size_t ranks) {
  const int unused = 64 - 8 * type.bytes;
  if (type.is_signed) return static_cast<uint64_t>(signed_value(type, sum) / static_cast<int64_t>(ranks));
  return (sum << unused >> unused) / ranks;
}

uint64_t reduce_integers(const TypeInfo& type, ns_op op, std::span<const Pattern> inputs, size_t offset) {
  uint64_t result = widen(type, load_bits(type, inputs[0].from(offset).data()));
  for (const Pattern& input : inputs.subspan(1)) {
    result = combine(type, op, result, widen(type, load_bits(type, input.from(offset).data())));
  }
  return op == ns_avg ? divide(type, result, inputs.size()) : result;
}

Acceptable reduce_floats(const TypeInfo& type, ns_op op, std::span<const Pattern> inputs, size_t offset) {
  FloatTerms terms;
  for (const Pattern& input : inputs) terms.add(decode(type, load_bits(type, input.from(offset).data())));
  return accept(type, op, terms, inputs.size());
}

}  // namespace

Expectation Expectation::copied(const TypeInfo& type, Pattern source) {
  return Expectation(type, std::move(source));
}

Expectation Expectation::reduced(const TypeInfo& type, ns_op op, std::vector<Pattern> inputs) {
  std::vector<std::byte> period(inputs[0].period_bytes());
  for (size_t offset = 0; offset < period.size(); offset += static_cast<size_t>(type.bytes)) {
    const uint64_t bits = type.floating ? encode(type, reduce_floats(type, op, inputs, offset).value)
                                        : reduce_integers(type, op, inputs, offset);
    store_bits(type, bits, period.data() + offset);
  }
  Expectation expectation(type, Pattern(std::move(period)));
  expectation.op_ = op;
  if (type.floating) expectation.inputs_ = std::move(inputs);
  return expectation;
}

bool Expectation::is_wrong(const std::byte* element, size_t offset) const {
  if (std::memcmp(element, expected_.from(offset).data(), static_cast<size_t>(type_->bytes)) == 0)
    return false;
  if (inputs_.empty()) return true;
  const Acceptable right = reduce_floats(*type_, op_, inputs_, offset);
  if (right.anything) return false;
  const double value = decode(*type_, load_bits(*type_, element));
  if (!std::isfinite(value)) return !right.not_finite;
  return !right.finite || std::fabs(value - right.value) > right.tolerance;
}

Expectation::Deviation Expectation::deviation(std::span<const std::byte> data, size_t first) const {
  const auto size = static_cast<size_t>(type_->bytes);
  Deviation sum;
  for (size_t i = 0; i < data.size(); i += size) {
    const double expected = decode(*type_, load_bits(*type_, expected_.from(first * size + i).data()));
    const double off = decode(*type_, load_bits(*type_, data.data() + i)) - expected;
    // What is not finite there must be so here; a difference of such values is no number.
    if (!std::isfinite(expected)) continue;
    sum.energy += expected * expected;
    sum.error += off * off;
  }
  return sum;
}

size_t Expectation::count_wrong(std::span<const std::byte> data, size_t first) const {
  const auto size = static_cast<size_t>(type_->bytes);
  size_t wrong = 0;
  size_t offset = first * size;
  while (!data.empty()) {
    const std::span<const std::byte> expected = expected_.from(offset);
    const size_t part = std::min(data.size(), expected.size());
    if (std::memcmp(data.data(), expected.data(), part) != 0) {
      for (size_t i = 0; i < part; i += size) wrong += is_wrong(data.data() + i, offset + i) ? 1 : 0;
    }
    data = data.subspan(part);
    offset += part;
  }
  return wrong;
}

}  // namespace netsense::perf
