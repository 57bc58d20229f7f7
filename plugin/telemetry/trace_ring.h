// Records on their way from the threads that move data to the one that writes the trace.
#pragma once

#include <array>
#include <atomic>
#include <cstring>
#include <memory>

#include "plugin/telemetry/trace_format.h"

namespace netsense::telemetry {

// Bounded; any thread puts, one takes, nobody waits. A cell's turn says whose it is (Vyukov's bounded queue):
// n, free for the n-th record; n + 1, holds it. What finds no free cell is counted and gone.
class TraceRing {
 public:
  static constexpr size_t kLargest = sizeof(TraceBlock);

  // cells: a power of two.
  explicit TraceRing(size_t cells) : mask_(cells - 1), cells_(std::make_unique<Cell[]>(cells)) {
    for (size_t i = 0; i < cells; ++i) cells_[i].turn.store(i, std::memory_order_relaxed);
  }

  template <typename Record>
  void put(const Record& record) {
    static_assert(sizeof(Record) <= kLargest && std::is_trivially_copyable_v<Record>);
    uint64_t place = next_put_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[place & mask_];
      const uint64_t turn = cell.turn.load(std::memory_order_acquire);
      if (turn == place) {
        if (!next_put_.compare_exchange_weak(place, place + 1, std::memory_order_relaxed)) continue;
        std::memcpy(cell.bytes.data(), &record, sizeof record);
        cell.turn.store(place + 1, std::memory_order_release);
        return;
      }
      if (turn < place) {
        lost_.fetch_add(1, std::memory_order_relaxed);
        return;
      }
      place = next_put_.load(std::memory_order_relaxed);
    }
  }

  // Copies the oldest record to *to, kLargest bytes, of which record.bytes count. False: there is none.
  bool take(std::byte* to) {
    Cell& cell = cells_[next_take_ & mask_];
    if (cell.turn.load(std::memory_order_acquire) != next_take_ + 1) return false;
    std::memcpy(to, cell.bytes.data(), kLargest);
    cell.turn.store(next_take_ + mask_ + 1, std::memory_order_release);
    ++next_take_;
    return true;
  }

  // How many records found no room so far.
  [[nodiscard]] uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }
  // Where the next record goes; what is there already is below.
  [[nodiscard]] size_t cells() const { return mask_ + 1; }

 private:
  struct alignas(64) Cell {
    std::atomic<uint64_t> turn;
    std::array<std::byte, kLargest> bytes;
  };

  const size_t mask_;
  const std::unique_ptr<Cell[]> cells_;
  alignas(64) std::atomic<uint64_t> next_put_{0};
  alignas(64) std::atomic<uint64_t> lost_{0};
  uint64_t next_take_ = 0;  // only the taker's
};

}  // namespace netsense::telemetry
