// The tables of the matrix: which operations run, one after another or together.
#pragma once

#include <string>
#include <vector>

#include "tests/engine/matrix/operation.h"

namespace netsense::engine_test {

// Operations that are queued together and then waited for.
struct Batch {
  struct Entry {
    Operation operation;
    int communicator = 0;
  };
  std::vector<Entry> entries;
  bool grouped = false;  // between ns_group_start and ns_group_end
};

struct Suite {
  std::vector<Batch> batches;
  int communicators = 1;

  [[nodiscard]] std::vector<Operation> operations() const;  // in order
};

// types: every type and reduction. sizes: many counts, in place and not, every root. large: through all
// buffers several times. groups, communicators: several at once. repeat: the same buffers' slots used again
// and again. small: a little of everything, for sanitizers. Throws std::invalid_argument on another name.
Suite make_suite(const std::string& name, int ranks);

}  // namespace netsense::engine_test
