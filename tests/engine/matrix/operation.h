// One collective of the matrix: what it is called with, what must come out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/engine/ns_engine.h"

namespace netsense::engine_test {

enum class Kind : uint8_t {
  kAllReduce,
  kBroadcast,
  kReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kRing,  // send to the next rank, receive from the previous one
};

struct Operation {
  Kind kind = Kind::kAllReduce;
  size_t count = 0;  // as in the API: per rank where the API says so
  ns_type type = ns_float32;
  ns_op op = ns_sum;
  int root = 0;
  bool in_place = false;

  [[nodiscard]] std::string describe() const;
  [[nodiscard]] bool reduces() const;
  // Whether every rank must end with the same bytes.
  [[nodiscard]] bool same_everywhere() const;
};

inline constexpr int kMaxRanks = 8;

struct Place {
  int ranks = 1;
  int rank = 0;
};

// An operation under way on one rank, with its buffers.
class Execution {
 public:
  // seed: makes inputs of different operations different. Must be the same on all ranks.
  Execution(Operation operation, Place place, uint64_t seed);

  // Queues the operation; may be called inside a group.
  ns_result enqueue(ns_comm* comm);

  // After completion. Empty when the result is right; otherwise what is wrong first.
  [[nodiscard]] std::string verify() const;

  // Of the result's bytes.
  [[nodiscard]] uint64_t digest() const;

 private:
  struct Region {
    size_t offset = 0;  // in elements
    size_t count = 0;
  };
  [[nodiscard]] size_t send_count() const;
  [[nodiscard]] size_t result_count() const;
  [[nodiscard]] bool has_result() const;
  [[nodiscard]] std::byte* send_data();
  [[nodiscard]] std::byte* result_data();
  [[nodiscard]] const std::byte* result_data() const { return const_cast<Execution*>(this)->result_data(); }
  [[nodiscard]] double input(int rank, size_t index) const;
  [[nodiscard]] std::string check_element(size_t index) const;
  [[nodiscard]] std::string check_reduced(size_t index, size_t input_index) const;
  [[nodiscard]] std::string check_bounds() const;
  [[nodiscard]] size_t bytes(size_t count) const { return count * ns_type_size(operation_.type); }

  Operation operation_;
  Place place_;
  uint64_t seed_;
  std::vector<std::byte> send_;
  std::vector<std::byte> receive_;  // empty when in place
};

}  // namespace netsense::engine_test
