// The counters of one connection, as its comm uses them: a few additions to memory, from any thread, without
// a lock or a system call.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "plugin/telemetry/layout.h"

namespace netsense::telemetry {

struct Identity {
  Direction direction = Direction::kSend;
  std::string peer;  // address and port
  std::string device;
  uint64_t streams = 0;
  uint64_t mode = 0;
};

// How a connection finds itself, all in the unit of the name; 0: unknown.
struct Path {
  std::chrono::nanoseconds rtprop{};
  std::chrono::nanoseconds rtt{};
  double btlbw_bytes_per_second = 0;
  double delivery_bytes_per_second = 0;
  double bdp_bytes = 0;
  std::chrono::nanoseconds host_queue{};
  std::chrono::nanoseconds network_queue{};
};

enum class Tier : uint8_t { kFast, kTight };

class Counters {
 public:
  // own: nobody else uses the slot; otherwise only what can be added up is counted. closed: called at the
  // end.
  Counters(Slot& slot, bool own, std::function<void()> closed)
      : slot_(slot), own_(own), closed_(std::move(closed)) {}
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;
  ~Counters();

  void message() { add(&slot_.messages, 1); }
  // A block was framed, or delivered. wire: with its frame header.
  void block(size_t raw_bytes, size_t wire_bytes) {
    add(&slot_.raw_bytes, raw_bytes);
    add(&slot_.wire_bytes, wire_bytes);
  }
  // What had become of it: one of these for each block.
  void ineligible() { add(&slot_.blocks_ineligible, 1); }
  void without_gain() { add(&slot_.blocks_without_gain, 1); }
  void coded(Tier tier, bool smaller, std::chrono::nanoseconds took) {
    Word& blocks = tier == Tier::kFast ? slot_.blocks_fast : slot_.blocks_tight;
    add(smaller ? &blocks : &slot_.blocks_not_smaller, 1);
    add(&slot_.code_ns, count(took));
  }
  void received_raw() { add(&slot_.blocks_received_raw, 1); }
  void decoded(std::chrono::nanoseconds took) {
    add(&slot_.blocks_received_lossless, 1);
    add(&slot_.decode_ns, count(took));
  }

  void retransmitted(uint64_t segments) {
    if (segments != 0) add(&slot_.retransmits, segments);
  }
  // A look at the path.
  void sensed(const Path& path);
  // text: for people. At most once per connection, and not at the same time as the end.
  void failed(std::string_view text);

 private:
  static void add(Word* word, uint64_t value) { word->fetch_add(value, std::memory_order_relaxed); }
  static void set(Word* word, uint64_t value) { word->store(value, std::memory_order_relaxed); }
  static uint64_t count(std::chrono::nanoseconds time) {
    return static_cast<uint64_t>(std::max<int64_t>(time.count(), 0));
  }

  Slot& slot_;
  const bool own_;
  const std::function<void()> closed_;
};

// Changes what changes seldom in a slot. One at a time. Each store is a release, so that no reader sees it
// before the revision that it belongs to has begun.
class Revision {
 public:
  explicit Revision(Slot* slot) : slot_(slot) {
    slot_->revision_begun.fetch_add(1, std::memory_order_relaxed);
  }
  Revision(const Revision&) = delete;
  Revision& operator=(const Revision&) = delete;
  ~Revision() { put(&slot_->revision_done, slot_->revision_begun.load(std::memory_order_relaxed)); }

  static void put(Word* word, uint64_t value) { word->store(value, std::memory_order_release); }

 private:
  Slot* slot_;
};

uint64_t unix_ns();

}  // namespace netsense::telemetry
