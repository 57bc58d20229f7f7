// Inputs and expected results of the conformance scripts. Values are small integers, so float sums are exact.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace netsense::engine_test {

float input_value(int rank, size_t index);

struct Expected {
  int ranks = 1;
  int rank = 0;

  // Empty when all results of the step are right, else a description of the first wrong element.
  // count: floats of the step; second: the receive buffer of the second operation of a group.
  [[nodiscard]] std::string first_wrong(const std::string& step, size_t count,
                                        const std::vector<float>& first,
                                        const std::vector<float>& second) const;

 private:
  [[nodiscard]] float sum(size_t index) const;
  [[nodiscard]] int previous() const { return (rank + ranks - 1) % ranks; }
};

}  // namespace netsense::engine_test
