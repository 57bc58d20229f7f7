// The file for node_exporter's textfile collector.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <prometheus/metric_family.h>

namespace netsense::exporter {

std::string to_text(const std::vector<prometheus::MetricFamily>& metrics);

// Readers see the file as it was or as it is now, never a part. Throws std::runtime_error.
void replace_file(const std::filesystem::path& path, const std::string& text);

}  // namespace netsense::exporter
