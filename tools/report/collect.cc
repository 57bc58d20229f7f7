// From the records to a TraceSet, in two passes over each trace: who there is and from when to when, then
// what happened at which step.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "probe/one_way_delay.h"
#include "tools/report/trace_set.h"

namespace netsense::report {
namespace {

using telemetry::TraceRecord;

// Three pixels of a picture each.
constexpr size_t kMostSteps = 240;
// A slow link takes several blocks in that time; what is finer is only noise.
constexpr double kShortestStep = 0.04;
// Connections whose course is kept, those that carried the most; about 35 KiB each.
constexpr size_t kMostCourses = 2048;

uint64_t unix_ns(const telemetry::TraceHeader& header, const TraceRecord& record) {
  return header.unix_ns + (record.steady_ns - header.steady_ns);
}

// Where a connection of a trace is in the set.
using Index = std::map<uint32_t, size_t>;

class Surveyor : public telemetry::TraceVisitor {
 public:
  Surveyor(size_t trace, TraceSet* set, Index* index, const telemetry::TraceHeader* header)
      : trace_(trace), set_(set), index_(index), header_(header) {}

  void on_opened(const telemetry::TraceOpened& opened) override {
    const auto direction = static_cast<telemetry::Direction>(opened.direction);
    if (direction != telemetry::Direction::kSend && direction != telemetry::Direction::kReceive) return;
    if (!index_->try_emplace(opened.record.connection, set_->connections.size()).second) return;
    set_->connections.push_back({.trace = trace_,
                                 .number = opened.record.connection,
                                 .direction = direction,
                                 .peer = telemetry::trace_text(opened.peer),
                                 .device = telemetry::trace_text(opened.device),
                                 .streams = opened.streams,
                                 .coding = opened.coding != 0});
  }
  void on_closed(const telemetry::TraceClosed& closed) override {
    if (Connection* connection = find(closed.record)) connection->closed = true;
  }
  void on_path(const telemetry::TracePath& path) override {
    Connection* connection = find(path.record);
    if (connection == nullptr) return;
    connection->totals.add(path);
    extend(path.record);
  }
  void on_block(const telemetry::TraceBlock& block) override {
    Connection* connection = find(block.record);
    if (connection == nullptr) return;
    connection->totals.add(block);
    extend(block.record);
  }
  void on_received(const telemetry::TraceReceived& received) override {
    Connection* connection = find(received.record);
    if (connection == nullptr) return;
    connection->totals.add(received);
    extend(received.record);
  }
  void on_acknowledged(const telemetry::TraceAcknowledged& acknowledged) override {
    Connection* connection = find(acknowledged.record);
    if (connection == nullptr) return;
    uint64_t& known = connection->totals.acknowledged_messages;
    known = std::max(known, acknowledged.messages);
  }
  void on_lost(const telemetry::TraceLost& lost) override { set_->traces[trace_].lost += lost.records; }
  void on_full(const telemetry::TraceFull& full) override {
    set_->traces[trace_].limit_bytes = std::max<uint64_t>(full.limit_bytes, 1);
  }

  // Of what was carried and sensed.
  uint64_t first = std::numeric_limits<uint64_t>::max();
  uint64_t last = 0;

 private:
  Connection* find(const TraceRecord& record) {
    const auto found = index_->find(record.connection);
    return found == index_->end() ? nullptr : &set_->connections[found->second];
  }
  void extend(const TraceRecord& record) {
    const uint64_t at = unix_ns(*header_, record);
    first = std::min(first, at);
    last = std::max(last, at);
  }

  const size_t trace_;
  TraceSet* set_;
  Index* index_;
  const telemetry::TraceHeader* header_;
};

class Plotter : public telemetry::TraceVisitor {
 public:
  Plotter(TraceSet* set, const Index* index, const telemetry::TraceHeader* header)
      : set_(set), index_(index), header_(header) {}

  void on_path(const telemetry::TracePath& path) override {
    Step* step = find(path.record);
    if (step == nullptr) return;
    ++step->looks;
    if ((path.flags & telemetry::kPathCongested) != 0) ++step->congested;
    step->host_queue_s += path.host_queue_s;
    step->network_queue_s += path.network_queue_s;
    step->rtprop_s += path.rtprop_s;
    step->btlbw += path.btlbw_bytes_per_s;
    step->longest_queue_s = std::max(step->longest_queue_s, path.host_queue_s + path.network_queue_s);
  }
  void on_block(const telemetry::TraceBlock& block) override {
    Step* step = find(block.record);
    if (step == nullptr) return;
    step->raw_bytes += block.raw_bytes;
    step->wire_bytes += block.coded_bytes;
    step->bytes_as[sent_as(block)] += block.raw_bytes;
    ++step->blocks_because[reason_index(block.reason)];
  }
  void on_received(const telemetry::TraceReceived& received) override {
    Step* step = find(received.record);
    if (step == nullptr) return;
    step->raw_bytes += received.raw_bytes;
    step->wire_bytes += received.coded_bytes;
    const auto variation = static_cast<float>(vary(received));
    ++step->arrivals;
    step->variation_s += variation;
    step->largest_variation_s = std::max(step->largest_variation_s, variation);
  }

 private:
  struct Delay {
    probe::OneWayDelay estimator;
    uint64_t last_ns = 0;
  };

  // Null: the connection's course is not kept, or the file has grown since it was surveyed.
  Step* find(const TraceRecord& record) {
    const auto found = index_->find(record.connection);
    if (found == index_->end()) return nullptr;
    Steps& steps = set_->connections[found->second].steps;
    const uint64_t at = unix_ns(*header_, record);
    if (at < set_->begin_unix_ns) return nullptr;
    const auto step =
        static_cast<size_t>(static_cast<double>(at - set_->begin_unix_ns) * 1e-9 / set_->step_s);
    // The very last record lies at the end of the last step.
    return step > steps.size() || steps.empty() ? nullptr : &steps[std::min(step, steps.size() - 1)];
  }

  double vary(const telemetry::TraceReceived& received) {
    Delay& delay = delays_[received.record.connection];
    // Of several streams, not quite in order.
    delay.last_ns = std::max(delay.last_ns, received.record.steady_ns - header_->steady_ns);
    const probe::Time at{std::chrono::nanoseconds(delay.last_ns)};
    return probe::to_seconds(delay.estimator.add(at, received.sent_us));
  }

  TraceSet* set_;
  const Index* index_;
  const telemetry::TraceHeader* header_;
  std::map<uint32_t, Delay> delays_;
};

std::string name_of(const telemetry::TraceHeader& header) {
  if (header.rank >= 0) return fmt::format("rank {}", header.rank);
  return fmt::format("{}, process {}", telemetry::trace_text(header.host_name), header.pid);
}

// Two jobs' rank 0 are told apart by their files.
void tell_apart(std::vector<Trace>* traces) {
  std::map<std::string, int> count;
  for (const Trace& trace : *traces) ++count[trace.name];
  for (Trace& trace : *traces) {
    if (count[trace.name] > 1) trace.name += fmt::format(" ({})", trace.file);
  }
}

void lay_out(uint64_t first, uint64_t last, TraceSet* set) {
  set->begin_unix_ns = first > last ? 0 : first;
  set->seconds = first > last ? 0 : static_cast<double>(last - first) * 1e-9;
  set->steps =
      static_cast<size_t>(std::clamp(set->seconds / kShortestStep, 1.0, static_cast<double>(kMostSteps)));
  set->step_s = std::max(set->seconds / static_cast<double>(set->steps), kShortestStep);
  std::vector<size_t> order(set->connections.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](size_t i) { return set->connections[i].totals.raw_bytes; });
  order.resize(std::min(order.size(), kMostCourses));
  for (const size_t i : order) set->connections[i].steps.resize(set->steps);
}

}  // namespace

TraceSet collect(const std::vector<Source>& sources) {
  TraceSet set;
  uint64_t first = std::numeric_limits<uint64_t>::max();
  uint64_t last = 0;
  std::vector<Index> indices(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    set.traces.push_back({.file = sources[i].file});
    telemetry::TraceHeader header;
    Surveyor surveyor(i, &set, &indices[i], &header);
    set.traces[i].outcome = parse_trace(sources[i].read(), &header, &surveyor);
    set.traces[i].header = header;
    set.traces[i].name = name_of(header);
    first = std::min(first, surveyor.first);
    last = std::max(last, surveyor.last);
  }
  tell_apart(&set.traces);
  lay_out(first, last, &set);
  for (size_t i = 0; i < sources.size(); ++i) {
    telemetry::TraceHeader header;
    Plotter plotter(&set, &indices[i], &header);
    parse_trace(sources[i].read(), &header, &plotter);
  }
  return set;
}

}  // namespace netsense::report
