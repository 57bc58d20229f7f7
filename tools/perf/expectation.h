// The result every element must have, computed in double precision (integers: in 64 bits, wrapping around),
// and how far a correct implementation may be from it.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tools/perf/numeric.h"
#include "tools/perf/pattern.h"

namespace netsense::perf {

// Expected elements, periodic as the inputs are.
class Expectation {
 public:
  // A stretch of data copied unchanged: every bit must match.
  static Expectation copied(const TypeInfo& type, Pattern source);
  // The reduction of one pattern per rank (all of the same period).
  //
  // The tolerance is 0 where every partial result is exact in the type. Elsewhere it is the standard bound on
  // recursive summation in any order, n u sum|x| with unit roundoff u (Higham, Accuracy and Stability of
  // Numerical Algorithms, section 4.2), one u more for the scaling of an average, n u |prod| for products,
  // and the spacing of subnormal numbers for each step.
  static Expectation reduced(const TypeInfo& type, ns_op op, std::vector<Pattern> inputs);

  // Whether it is a reduction of floats, which may be rounded.
  [[nodiscard]] bool may_be_rounded() const { return !inputs_.empty(); }
  // Sums of squares of the expected elements and of what data is off by; data as in count_wrong().
  struct Deviation {
    double energy = 0;
    double error = 0;
  };
  [[nodiscard]] Deviation deviation(std::span<const std::byte> data, size_t first) const;

  // How many elements of data (starting at element `first` of the infinite repetition) are wrong.
  [[nodiscard]] size_t count_wrong(std::span<const std::byte> data, size_t first) const;

 private:
  Expectation(const TypeInfo& type, Pattern expected) : type_(&type), expected_(std::move(expected)) {}
  [[nodiscard]] bool is_wrong(const std::byte* element, size_t offset) const;

  const TypeInfo* type_;
  Pattern expected_;
  ns_op op_ = ns_sum;
  std::vector<Pattern> inputs_;  // kept where another result than the expected bytes may be right
};

}  // namespace netsense::perf
