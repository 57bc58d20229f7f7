// One rank's buffers: filled before a call, and looked through after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/perf/backend.h"
#include "tools/perf/collective.h"
#include "tools/perf/dataset.h"

namespace netsense::perf {

// What one rank found after a checked call.
struct Finding {
  uint64_t wrong = 0;     // elements that differ from the reference; all of a result that is off by too much
  uint64_t stray = 0;     // bytes changed that the call must not touch: behind the result, or in the input
  uint64_t hash_low = 0;  // of the result's bytes (XXH3, 128 bits)
  uint64_t hash_high = 0;
  double error = 0;  // root mean square of what a rounded result is off by, over its own
};

class Workspace {
 public:
  // capacity: largest buffer needed, in bytes.
  Workspace(Backend& backend, size_t capacity, int ranks, int rank);

  // The call with this count, in or out of place; its buffers hold this rank's input afterwards.
  [[nodiscard]] Call prepare(const Call& prototype, const Dataset& data, bool in_place);
  // Looks at the buffers of a call that prepare() made and that has been carried out. tolerance: error that a
  // sum of floats may have; 0: none may be rounded.
  [[nodiscard]] Finding inspect(const Call& call, const Dataset& data, bool in_place, double tolerance);

 private:
  void write_pattern(std::byte* to, const Pattern& pattern, size_t bytes);
  void write_constant(std::byte* to, size_t bytes);
  uint64_t count_wrong(const std::byte* from, size_t elements, const Expectation& expectation, size_t first,
                       size_t element_bytes);
  double relative_error(const std::byte* from, size_t elements, const Expectation& expectation, size_t first,
                        size_t element_bytes);
  uint64_t count_changed_guard(const std::byte* from);
  void hash(const std::byte* from, size_t bytes, Finding& finding);

  Backend* backend_;
  int ranks_;
  int rank_;
  std::vector<std::byte> staging_;
  Buffer first_;   // input out of place; both in place
  Buffer second_;  // result out of place
};

}  // namespace netsense::perf
