// The inputs of all ranks for one type and reduction, and what must come out.
#pragma once

#include <optional>
#include <vector>

#include "tools/perf/collective.h"
#include "tools/perf/expectation.h"
#include "tools/perf/numeric.h"
#include "tools/perf/pattern.h"

namespace netsense::perf {

class Dataset {
 public:
  // op: none for collectives that only move data. file: null for generated data.
  Dataset(ns_type type, std::optional<ns_op> op, int ranks, const FileData* file);

  [[nodiscard]] const TypeInfo& type() const { return *type_; }
  [[nodiscard]] const Pattern& input(int rank) const { return inputs_[static_cast<size_t>(rank)]; }
  // source: a rank, or Piece::kReduced.
  [[nodiscard]] const Expectation& expectation(int source) const;

 private:
  const TypeInfo* type_;
  std::vector<Pattern> inputs_;
  std::vector<Expectation> copies_;  // by rank
  std::optional<Expectation> reduced_;
};

}  // namespace netsense::perf
