#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/markup/escape.h"
#include "tools/probe/report.h"

namespace netsense::mesh {
namespace {

constexpr int kTile = 44;
constexpr int kMargin = 40;
// Beyond this the tiles carry no figures, only a title to point at.
constexpr size_t kMostWithText = 16;

constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>netsense-probe</title>
<style>body{font:14px sans-serif;margin:2em;color:#222}section{display:inline-block;margin:0 2em 2em 0;vertical-align:top}
h2{font-size:15px}svg text{font:10px sans-serif;text-anchor:middle;dominant-baseline:middle}</style></head><body>
<h1>netsense-probe</h1>
)";

struct Range {
  double low = 0;
  double high = 0;
};

Range range_of(const Mesh& mesh, const Quantity& quantity) {
  Range range;
  for (const std::vector<Cell>& row : mesh.cells) {
    for (const Cell& cell : row) {
      const double value = cell.*quantity.value;
      if (value <= 0) continue;
      range.low = range.low == 0 ? value : std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  }
  return range;
}

// Green is good. Logarithmic, as both times and rates spread over decades; a spread of less than a tenfold
// does not use the whole scale, so that noise does not look like a fault.
std::string colour(double value, const Range& range, Unit unit) {
  if (value <= 0) return "#ddd";
  const double decades = std::max(std::log10(range.high / range.low), 1.0);
  const bool rate = unit == Unit::kBytesPerSecond;
  const double badness = std::log10(rate ? range.high / value : value / range.low) / decades;
  return fmt::format("hsl({:.0f},65%,72%)", 120 * (1 - std::clamp(badness, 0.0, 1.0)));
}

std::string tile(const Mesh& mesh, const Quantity& quantity, const Range& range, size_t from, size_t to) {
  const double value = mesh.at(from, to).*quantity.value;
  const std::string text = format_quantity(value, quantity.unit);
  const int x = kMargin + static_cast<int>(to) * kTile;
  const int y = kMargin + static_cast<int>(from) * kTile;
  std::string out = fmt::format(
      "<g><title>{} to {}: {}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>",
      markup::escape(name_rank(mesh.hosts, from)), markup::escape(name_rank(mesh.hosts, to)), text, x, y,
      kTile - 1, kTile - 1, colour(value, range, quantity.unit));
  if (mesh.hosts.size() <= kMostWithText) {
    const size_t blank = std::min(text.find(' '), text.size());
    out +=
        fmt::format("<text x=\"{0}\" y=\"{1}\">{3}</text><text x=\"{0}\" y=\"{2}\">{4}</text>", x + kTile / 2,
                    y + kTile / 2 - 6, y + kTile / 2 + 7, text.substr(0, blank), text.substr(blank));
  }
  return out + "</g>\n";
}

std::string heat_map(const Mesh& mesh, const Quantity& quantity) {
  const Range range = range_of(mesh, quantity);
  const size_t ranks = mesh.hosts.size();
  const int side = kMargin + static_cast<int>(ranks) * kTile;
  std::string out = fmt::format("<section><h2>{}</h2><svg width=\"{}\" height=\"{}\" role=\"img\">\n",
                                quantity.title, side, side);
  out += fmt::format("<text x=\"{}\" y=\"10\">to</text><text x=\"10\" y=\"{}\">from</text>\n",
                     kMargin + kTile / 2, kMargin + kTile / 2);
  for (size_t rank = 0; rank < ranks; ++rank) {
    const int middle = kMargin + static_cast<int>(rank) * kTile + kTile / 2;
    out += fmt::format("<text x=\"{}\" y=\"{}\">{}</text><text x=\"{}\" y=\"{}\">{}</text>\n", middle,
                       kMargin - 10, rank, kMargin - 10, middle, rank);
    for (size_t to = 0; to < ranks; ++to) {
      if (to != rank) out += tile(mesh, quantity, range, rank, to);
    }
  }
  return out + "</svg></section>\n";
}

}  // namespace

std::string html_report(const Mesh& mesh, const std::vector<std::string>& findings) {
  std::string out = kHead;
  out += "<ul>\n";
  for (const std::string& finding : findings) out += fmt::format("<li>{}</li>\n", markup::escape(finding));
  if (findings.empty()) out += "<li>Nothing stands out: no pair is slow or asymmetric.</li>\n";
  out += "</ul>\n<ol start=\"0\">\n";
  for (const Host& host : mesh.hosts) {
    out += fmt::format("<li>{}, {} ({})</li>\n", markup::escape(host.name), markup::escape(host.address),
                       markup::escape(host.interface));
  }
  out += "</ol>\n";
  for (const Quantity& quantity : all_quantities()) out += heat_map(mesh, quantity);
  return out + "</body></html>\n";
}

}  // namespace netsense::mesh
