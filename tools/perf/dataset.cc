#include "tools/perf/dataset.h"

namespace netsense::perf {
namespace {

Pattern make_input(const TypeInfo& type, std::optional<ns_op> op, int ranks, int rank, const FileData* file) {
  if (file != nullptr) return file->pattern(type, ranks, rank);
  return op ? reducible_values(type, *op, ranks, rank) : random_bits(type, rank);
}

}  // namespace

Dataset::Dataset(ns_type type, std::optional<ns_op> op, int ranks, const FileData* file)
    : type_(&type_info(type)) {
  for (int rank = 0; rank < ranks; ++rank) {
    inputs_.push_back(make_input(*type_, op, ranks, rank, file));
    copies_.push_back(Expectation::copied(*type_, inputs_.back()));
  }
  if (op) reduced_ = Expectation::reduced(*type_, *op, inputs_);
}

const Expectation& Dataset::expectation(int source) const {
  return source == Piece::kReduced ? reduced_.value() : copies_[static_cast<size_t>(source)];
}

}  // namespace netsense::perf
