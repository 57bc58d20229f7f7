#include "tools/exporter/metrics.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "tools/stats/aggregate.h"
#include "tools/stats/json.h"

namespace netsense::exporter {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using stats::Group;
using stats::GroupKey;
using telemetry::Connection;
using Labels = std::vector<ClientMetric::Label>;
using Groups = std::map<GroupKey, Group>;

ClientMetric::Label label(std::string name, std::string value) {
  ClientMetric::Label made;
  made.name = std::move(name);
  made.value = std::move(value);
  return made;
}

Labels labels_of(const GroupKey& key) {
  return {label("pid", std::to_string(key.pid)), label("direction", stats::to_text(key.direction)),
          label("peer", key.peer), label("device", key.device)};
}

// One metric whose value is a field of Connection times a factor.
struct Simple {
  const char* name;
  const char* help;
  MetricType type;
  uint64_t Connection::*field;
  double factor;
};

constexpr double kNanosecond = 1e-9;

constexpr std::array kSimple{
    Simple{"netsense_messages_total", "Messages that NCCL sent or received.", MetricType::Counter,
           &Connection::messages, 1},
    Simple{"netsense_raw_bytes_total", "Bytes as NCCL has them.", MetricType::Counter, &Connection::raw_bytes,
           1},
    Simple{"netsense_wire_bytes_total", "Bytes on the wire: compressed, with netsense's frame headers.",
           MetricType::Counter, &Connection::wire_bytes, 1},
    Simple{"netsense_code_seconds_total", "Time spent compressing.", MetricType::Counter,
           &Connection::code_ns, kNanosecond},
    Simple{"netsense_decode_seconds_total", "Time spent decompressing.", MetricType::Counter,
           &Connection::decode_ns, kNanosecond},
    Simple{"netsense_retransmits_total", "TCP segments sent again, on connections that are sensed.",
           MetricType::Counter, &Connection::retransmits, 1},
    Simple{"netsense_errors_total", "Connections that failed.", MetricType::Counter, &Connection::errors, 1},
    Simple{"netsense_rtprop_seconds", "Round trip without any queue; the smallest of the open connections.",
           MetricType::Gauge, &Connection::rtprop_ns, kNanosecond},
    Simple{"netsense_rtt_seconds", "Round trip as it is now; the largest of the open connections.",
           MetricType::Gauge, &Connection::rtt_ns, kNanosecond},
    Simple{"netsense_btlbw_bytes_per_second", "Rate of the bottleneck; the largest of the open connections.",
           MetricType::Gauge, &Connection::btlbw_bytes_per_second, 1},
    Simple{"netsense_delivery_bytes_per_second", "What the open connections deliver together.",
           MetricType::Gauge, &Connection::delivery_bytes_per_second, 1},
    Simple{"netsense_bdp_bytes", "Bandwidth-delay product; the largest of the open connections.",
           MetricType::Gauge, &Connection::bdp_bytes, 1},
};

// Metrics that differ in one more label.
struct Labelled {
  const char* value;
  std::function<uint64_t(const Connection&)> count;
};

MetricFamily family(const char* name, const char* help, MetricType type) {
  MetricFamily made;
  made.name = name;
  made.help = help;
  made.type = type;
  return made;
}

void add_value(MetricFamily* to, Labels labels, double value) {
  ClientMetric metric;
  metric.label = std::move(labels);
  if (to->type == MetricType::Counter) {
    metric.counter.value = value;
  } else {
    metric.gauge.value = value;
  }
  to->metric.push_back(std::move(metric));
}

MetricFamily simple(const Simple& of, const Groups& groups) {
  MetricFamily made = family(of.name, of.help, of.type);
  for (const auto& [key, group] : groups) {
    const uint64_t value = group.sum.*of.field;
    // A gauge of nothing is not known yet, which is no value.
    if (of.type == MetricType::Gauge && value == 0) continue;
    add_value(&made, labels_of(key), static_cast<double>(value) * of.factor);
  }
  return made;
}

MetricFamily labelled(const char* name, const char* help, const char* label_name,
                      const std::vector<Labelled>& kinds, const Groups& groups) {
  MetricFamily made = family(name, help, MetricType::Counter);
  for (const auto& [key, group] : groups) {
    for (const Labelled& kind : kinds) {
      Labels labels = labels_of(key);
      labels.push_back(label(label_name, kind.value));
      add_value(&made, std::move(labels), static_cast<double>(kind.count(group.sum)));
    }
  }
  return made;
}

MetricFamily queue_delay(const Groups& groups) {
  MetricFamily made =
      family("netsense_queue_delay_seconds",
             "How long a byte waits in the queues of host and network, looked at while there is "
             "something to send.",
             MetricType::Histogram);
  for (const auto& [key, group] : groups) {
    if (key.direction != telemetry::Direction::kSend) continue;
    ClientMetric metric;
    metric.label = labels_of(key);
    uint64_t count = 0;
    for (size_t i = 0; i < telemetry::kDelayBuckets; ++i) {
      count += group.sum.queue_delay[i];
      const bool last = i + 1 == telemetry::kDelayBuckets;
      ClientMetric::Bucket bucket;
      bucket.cumulative_count = count;
      bucket.upper_bound = last ? std::numeric_limits<double>::infinity()
                                : static_cast<double>(telemetry::delay_bound_ns(i)) * kNanosecond;
      metric.histogram.bucket.push_back(bucket);
    }
    metric.histogram.sample_count = count;
    metric.histogram.sample_sum = static_cast<double>(group.sum.queue_delay_sum_ns) * kNanosecond;
    made.metric.push_back(std::move(metric));
  }
  return made;
}

MetricFamily info(const stats::Host& host) {
  MetricFamily made = family("netsense_info", "1 for each process that uses netsense.", MetricType::Gauge);
  // Processes of different containers may have the same pid; a metric must not come twice.
  std::map<std::pair<uint64_t, std::string>, std::string> processes;
  for (const telemetry::Snapshot& snapshot : host.processes) {
    processes[{snapshot.process.pid, snapshot.process.host_name}] = snapshot.process.plugin_version;
  }
  for (const auto& [key, version] : processes) {
    add_value(&made,
              {label("pid", std::to_string(key.first)), label("host", key.second), label("version", version)},
              1);
  }
  return made;
}

}  // namespace

std::vector<MetricFamily> metrics_of(const stats::Host& host) {
  const Groups groups = stats::aggregate(host);
  std::vector<MetricFamily> families{info(host)};
  for (const Simple& of : kSimple) families.push_back(simple(of, groups));
  families.push_back(
      labelled("netsense_blocks_total",
               "Blocks by what became of them: raw (not tried), fast and tight (sent compressed), "
               "not_smaller (tried in vain), lossless (received compressed).",
               "codec",
               {{"raw", &Connection::blocks_raw},
                {"fast", &Connection::blocks_fast},
                {"tight", &Connection::blocks_tight},
                {"not_smaller", &Connection::blocks_not_smaller},
                {"lossless", &Connection::blocks_received_lossless}},
               groups));
  families.push_back(labelled(
      "netsense_blocks_held_back_total",
      "Blocks sent without trying to compress them: ineligible (size, protocol or "
      "settings), no_gain (the network was not the bottleneck).",
      "reason",
      {{"ineligible", &Connection::blocks_ineligible}, {"no_gain", &Connection::blocks_without_gain}},
      groups));
  families.push_back(queue_delay(groups));
  MetricFamily open = family("netsense_connections", "Open connections.", MetricType::Gauge);
  for (const auto& [key, group] : groups) add_value(&open, labels_of(key), static_cast<double>(group.open));
  families.push_back(std::move(open));
  MetricFamily unreadable =
      family("netsense_unreadable_files", "Statistics files that could not be read.", MetricType::Gauge);
  add_value(&unreadable, {}, static_cast<double>(host.unreadable.size()));
  families.push_back(std::move(unreadable));
  // A family without a metric would be only its HELP line.
  std::erase_if(families, [](const MetricFamily& f) { return f.metric.empty(); });
  return families;
}

std::vector<MetricFamily> Collector::Collect() const {
  MetricFamily readable = family("netsense_directory_readable",
                                 "Whether the directory of the statistics could be read.", MetricType::Gauge);
  try {
    std::vector<MetricFamily> families = metrics_of(stats::read_host(directory_));
    add_value(&readable, {}, 1);
    families.push_back(std::move(readable));
    return families;
  } catch (const std::exception&) {
    add_value(&readable, {}, 0);
    return {readable};
  }
}

}  // namespace netsense::exporter
