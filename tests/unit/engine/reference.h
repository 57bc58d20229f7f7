// What collectives should give, computed on doubles.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/engine/ns_engine.h"

namespace netsense::engine {

class TypedBuffer {
 public:
  // Filled with a pattern that no result has.
  TypedBuffer(ns_type type, size_t count)
      : type_(type), bytes_(count * ns_type_size(type), std::byte{0x5a}) {}

  double get(size_t i) const;
  void set(size_t i, double value);
  std::byte* data() { return bytes_.data(); }
  std::byte* at(size_t i) { return bytes_.data() + i * ns_type_size(type_); }
  size_t size() const { return bytes_.size() / ns_type_size(type_); }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  ns_type type_;
  std::vector<std::byte> bytes_;
};

// Small numbers whose sums, products and averages over two or four ranks every type can hold.
double input_value(ns_op op, ns_type type, int rank, size_t i);

// Over the inputs of all ranks.
double reduced(ns_op op, ns_type type, int ranks, size_t i);

}  // namespace netsense::engine
