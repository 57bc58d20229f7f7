// A trace file, which may be anybody's: whatever the parser makes of it stays within bounds.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "plugin/telemetry/trace_parse.h"

namespace {

using namespace netsense::telemetry;

void require(bool condition) {
  if (!condition) std::abort();
}

// Holds every record to what the parser promises of it.
class Checker : public TraceVisitor {
 public:
  explicit Checker(const TraceHeader* header) : header_(header) {}
  void on_opened(const TraceOpened& opened) override { check(opened.record); }
  void on_closed(const TraceClosed& closed) override { check(closed.record); }
  void on_path(const TracePath& path) override {
    check(path.record);
    for (const float value : {path.rtprop_s, path.rtt_s, path.host_queue_s, path.network_queue_s,
                              path.delivery_bytes_per_s, path.btlbw_bytes_per_s, path.bdp_bytes}) {
      require(!(value < 0) && !(value > 1e15F));
    }
  }
  void on_block(const TraceBlock& block) override { check(block.record); }
  void on_received(const TraceReceived& received) override { check(received.record); }
  void on_acknowledged(const TraceAcknowledged& acknowledged) override { check(acknowledged.record); }
  void on_lost(const TraceLost& lost) override { check(lost.record); }
  void on_full(const TraceFull& full) override { check(full.record); }
  [[nodiscard]] uint64_t seen() const { return seen_; }

 private:
  void check(const TraceRecord& record) {
    constexpr uint64_t kYearNs = uint64_t{366} * 24 * 3600 * 1'000'000'000;
    ++seen_;
    require(record.steady_ns >= header_->steady_ns && record.steady_ns - header_->steady_ns <= kYearNs);
  }
  const TraceHeader* header_;
  uint64_t seen_ = 0;
};

void check(std::span<const std::byte> bytes) {
  TraceHeader header;
  Checker checker(&header);
  const TraceOutcome outcome = parse_trace(bytes, &header, &checker);
  require(outcome.position <= bytes.size());
  require(checker.seen() <= outcome.records);
  if (outcome.error == TraceError::kForeign || outcome.error == TraceError::kVersion)
    require(checker.seen() == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  check(std::as_bytes(std::span(data, size)));
  // The same behind a sound header, and as records of the kinds there are, which chance seldom makes.
  std::vector<std::byte> file(sizeof(TraceHeader));
  TraceHeader header;
  header.header_bytes = sizeof header;
  std::memcpy(file.data(), &header, sizeof header);
  constexpr uint16_t kSizes[] = {128, 16, 56, 56, 40, 24, 24, 24};
  for (size_t at = 0; at < size;) {
    const size_t kind = data[at] % std::size(kSizes);
    std::vector<std::byte> record(kSizes[kind]);
    const size_t filled = std::min(size - at, record.size());
    std::memcpy(record.data(), data + at, filled);
    at += filled;
    TraceRecord head{.bytes = kSizes[kind], .kind = static_cast<TraceKind>(kind + 1), .connection = 1};
    head.steady_ns = std::to_integer<uint64_t>(record[8]);
    std::memcpy(record.data(), &head, sizeof head);
    file.insert(file.end(), record.begin(), record.end());
  }
  check(file);
  return 0;
}
