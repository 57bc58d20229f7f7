// What a process senses and decides, written down for netsense-report. Costs one branch where no trace is
// wanted; otherwise a record in memory, without a lock or a system call.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "plugin/telemetry/layout.h"
#include "plugin/telemetry/trace_session.h"

namespace netsense::telemetry {

// Who a connection is, for the reader.
struct TracedConnection {
  Direction direction = Direction::kSend;
  std::string peer;  // address and port
  std::string device;
  size_t streams = 0;
  bool coding = false;  // both ends can compress
  size_t block_bytes = 0;
  size_t peer_block_bytes = 0;
};

// Where one connection's records go. Any thread, at the same time.
class ConnectionTrace {
 public:
  ConnectionTrace() = default;  // nowhere
  ConnectionTrace(TraceSession* session, uint32_t connection) : session_(session), connection_(connection) {}
  ConnectionTrace(const ConnectionTrace&) = delete;
  ConnectionTrace& operator=(const ConnectionTrace&) = delete;
  // Nobody may put any more.
  ~ConnectionTrace() {
    if (session_ != nullptr) session_->close(connection_);
  }

  [[nodiscard]] bool on() const { return session_ != nullptr && session_->on(); }
  // Only where on().
  template <typename Record>
  void put(std::chrono::steady_clock::time_point at, size_t stream, Record record) const {
    record.record.stream = static_cast<uint8_t>(stream);
    record.record.connection = connection_;
    record.record.steady_ns = static_cast<uint64_t>(std::chrono::nanoseconds(at.time_since_epoch()).count());
    session_->put(record);
  }

 private:
  TraceSession* session_ = nullptr;
  uint32_t connection_ = 0;
};

// The trace that the settings ask for. A forked child that makes connections of its own writes to a file of
// its own, or to none.
class Trace {
 public:
  explicit Trace(TraceOptions options) : options_(std::move(options)) {}
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  // Every connection must be closed.
  ~Trace();

  // Never fails: at worst the records go nowhere. Not for the data path.
  ConnectionTrace open(const TracedConnection& connection);

 private:
  TraceSession& session();

  const TraceOptions options_;
  std::atomic<TraceSession*> session_{nullptr};
};

// Null is no trace.
inline ConnectionTrace open_trace(Trace* trace, const TracedConnection& connection) {
  return trace == nullptr ? ConnectionTrace() : trace->open(connection);
}

}  // namespace netsense::telemetry
