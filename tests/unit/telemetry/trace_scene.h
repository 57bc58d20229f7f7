// Traces in memory, and all that one says.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "plugin/telemetry/trace_parse.h"

namespace netsense::testing {

// Keeps everything.
class Recording : public telemetry::TraceVisitor {
 public:
  void on_opened(const telemetry::TraceOpened& record) override { opened.push_back(record); }
  void on_closed(const telemetry::TraceClosed& record) override { closed.push_back(record); }
  void on_path(const telemetry::TracePath& record) override { paths.push_back(record); }
  void on_block(const telemetry::TraceBlock& record) override { blocks.push_back(record); }
  void on_received(const telemetry::TraceReceived& record) override { received.push_back(record); }
  void on_acknowledged(const telemetry::TraceAcknowledged& record) override {
    acknowledged.push_back(record);
  }
  void on_lost(const telemetry::TraceLost& record) override { lost.push_back(record); }
  void on_full(const telemetry::TraceFull& record) override { full.push_back(record); }

  telemetry::TraceHeader header;
  telemetry::TraceOutcome outcome;
  std::vector<telemetry::TraceOpened> opened;
  std::vector<telemetry::TraceClosed> closed;
  std::vector<telemetry::TracePath> paths;
  std::vector<telemetry::TraceBlock> blocks;
  std::vector<telemetry::TraceReceived> received;
  std::vector<telemetry::TraceAcknowledged> acknowledged;
  std::vector<telemetry::TraceLost> lost;
  std::vector<telemetry::TraceFull> full;
};

inline void replay(std::span<const std::byte> bytes, Recording* recording) {
  recording->outcome = telemetry::parse_trace(bytes, &recording->header, recording);
}

// A header, then what add() is given.
class TraceBytes {
 public:
  static constexpr uint64_t kBegin = 1'000'000'000;  // steady

  TraceBytes() {
    telemetry::TraceHeader header;
    header.header_bytes = sizeof header;
    header.pid = 7;
    header.unix_ns = 1'700'000'000'000'000'000;
    header.steady_ns = kBegin;
    header.rank = 3;
    header.mode = 1;
    std::memcpy(header.host_name.data(), "node", 4);
    append(header);
  }
  // At so many ms after the header.
  template <typename Record>
  TraceBytes& add(double ms, uint32_t connection, Record record) {
    record.record.connection = connection;
    record.record.steady_ns = kBegin + static_cast<uint64_t>(ms * 1e6);
    append(record);
    return *this;
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  template <typename Record>
  void append(const Record& record) {
    const auto raw = std::as_bytes(std::span(&record, 1));
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
  }
  std::vector<std::byte> bytes_;
};

inline telemetry::TraceOpened opened(uint8_t direction, const char* peer) {
  telemetry::TraceOpened record;
  record.direction = direction;
  record.coding = 1;
  record.streams = 2;
  std::strncpy(record.peer.data(), peer, record.peer.size() - 1);
  std::strncpy(record.device.data(), "eth0", record.device.size() - 1);
  return record;
}

}  // namespace netsense::testing
