// The metrics, by Prometheus's rules: base units, counters end in _total. docs/telemetry.md lists them.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <filesystem>
#include <vector>

#include "tools/stats/reader.h"

namespace netsense::exporter {

std::vector<prometheus::MetricFamily> metrics_of(const stats::Host& host);

// Looks into the directory at each scrape. A directory that cannot be read is a metric too.
class Collector : public prometheus::Collectable {
 public:
  explicit Collector(std::filesystem::path directory) : directory_(std::move(directory)) {}
  [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  std::filesystem::path directory_;
};

}  // namespace netsense::exporter
