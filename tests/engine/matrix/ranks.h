// Ranks as forked processes, with a page of shared memory for what they must tell each other and the parent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "tests/engine/matrix/operation.h"

namespace netsense::engine_test {

inline constexpr size_t kMaxOperations = 4096;
inline constexpr int kMaxCommunicators = 4;

// Lives in memory that all processes share.
struct Board;

// What a rank may ask while it runs.
class RankContext {
 public:
  RankContext(Board* board, Place place) : board_(board), place_(place) {}
  [[nodiscard]] Place place() const { return place_; }
  // The same for all ranks; made by rank 0, the others wait.
  ns_unique_id unique_id(int communicator);
  void report_digest(size_t operation, uint64_t digest);
  // A short text for the parent; the first one of a rank counts.
  void report_failure(const std::string& text);

 private:
  Board* board_;
  Place place_;
};

using RankBody = std::function<void(RankContext&)>;

// Runs the body in `ranks` processes. Returns what failed, empty if nothing did. same_everywhere says of
// which operations the ranks' digests must agree.
std::string run_ranks(int ranks, const RankBody& body, const std::function<bool(size_t)>& same_everywhere,
                      size_t operations);

}  // namespace netsense::engine_test
