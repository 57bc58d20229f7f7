#include "plugin/core/coll_operations.h"

#include <algorithm>

namespace netsense::core {
namespace {

// A thread of NCCL's serves one communicator, or some that share its resources.
constexpr size_t kComms = 8;

struct ThreadLog {
  struct Entry {
    uint64_t comm_id;
    uint64_t used;  // 0: free
    CollOperations operations;
  };
  std::array<Entry, kComms> entries{};
  uint64_t uses = 0;
};

// Needs no destructor, and no constructor that would run on NCCL's thread for every access.
thread_local constinit ThreadLog thread_log{};

}  // namespace

void CollOperations::add(uint32_t collective, uint8_t channel, uint32_t steps) {
  const bool goes_on =
      begun_ > ended_ && at(begun_ - 1).collective == collective &&
      (channel != at(begun_ - 1).first_channel || at(begun_ - 1).first_channel_announced < 2);
  if (!goes_on) {
    // Too many under way: the oldest are given up, and their calls stay unknown.
    if (begun_ - ended_ == kCapacity) ++ended_;
    at(begun_++) = {.collective = collective, .first_channel = channel};
  }
  Operation& operation = at(begun_ - 1);
  ++operation.announced;
  if (channel == operation.first_channel) ++operation.first_channel_announced;
  operation.steps = std::max(operation.steps, steps);
}

CollOperations::Place CollOperations::next() {
  if (ended_ == begun_) return {};
  Operation& operation = at(ended_);
  const Place place{operation.collective, operation.calls++};
  if (operation.calls >= operation.expected_calls()) ++ended_;
  return place;
}

CollOperations& operations_of(uint64_t comm_id) {
  ThreadLog& log = thread_log;
  ++log.uses;
  ThreadLog::Entry* oldest = log.entries.data();
  for (ThreadLog::Entry& entry : log.entries) {
    if (entry.used != 0 && entry.comm_id == comm_id) {
      entry.used = log.uses;
      return entry.operations;
    }
    if (entry.used < oldest->used) oldest = &entry;
  }
  *oldest = {.comm_id = comm_id, .used = log.uses, .operations = {}};
  return oldest->operations;
}

CollOperations* only_operations() {
  CollOperations* found = nullptr;
  for (ThreadLog::Entry& entry : thread_log.entries) {
    if (entry.used == 0) continue;
    if (found != nullptr) return nullptr;
    found = &entry.operations;
  }
  return found;
}

}  // namespace netsense::core
