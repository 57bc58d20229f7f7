// Which collectives the user's program calls: what error feedback and the size of a collective go by.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace netsense::core {

// As a profiler is told of it. A training step repeats it with the same values.
struct Collective {
  uint64_t comm_id = 0;  // NCCL's number of the communicator; 0: not told
  int function = -1;     // ncclFunc_t
  int data_type = -1;    // ncclDataType_t
  size_t count = 0;
  const void* send = nullptr;
};

// A call of a collective network as part of a collective.
struct CollectiveCall {
  bool known = false;
  uint64_t identity = 0;   // equal for every repetition of the collective, and for no other
  uint32_t index = 0;      // of the call within it
  size_t total_bytes = 0;  // of the collective
};

// A table of collectives whose entries have short numbers. Threads that call collectives fill it and may wait
// for each other; a reader never waits.
class Collectives {
 public:
  static constexpr uint32_t kNone = 0;
  static constexpr uint32_t kSlots = 1U << 14;  // numbers are below

  // The collective's number. When the table is full it begins anew: a number that somebody still holds may
  // then stand for another collective, which a reader that compares sees or takes for the other.
  uint32_t add(const Collective& collective);

  struct Entry {
    uint64_t identity = 0;
    uint64_t comm_id = 0;
    int data_type = -1;
    size_t total_bytes = 0;
  };
  [[nodiscard]] Entry at(uint32_t slot) const;

 private:
  struct Slot {
    std::atomic<uint64_t> identity{0};
    std::atomic<uint64_t> comm_id{0};
    std::atomic<int> data_type{-1};
    std::atomic<size_t> total_bytes{0};
  };

  std::mutex mutex_;
  std::unordered_map<uint64_t, uint32_t> numbers_;  // by identity; guarded by mutex_
  uint32_t used_ = 0;                               // guarded by mutex_
  std::unique_ptr<Slot[]> storage_;                 // guarded by mutex_
  std::atomic<Slot*> slots_{nullptr};               // null until something was added
};

}  // namespace netsense::core
