#include "tools/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace netsense::report {
namespace {

constexpr double kTitleGap = 7;
constexpr double kExplanationHeight = 16;
constexpr int kShades = 8;  // of a lane

struct Run {
  size_t begin = 0;
  size_t end = 0;
};

// Where there are values without a gap.
std::vector<Run> runs_of(const Values& values) {
  std::vector<Run> runs;
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    if (runs.empty() || runs.back().end != i) runs.push_back({i, i});
    runs.back().end = i + 1;
  }
  return runs;
}

}  // namespace

Plot::Plot(const Frame& frame, std::string_view title, std::string_view unit, const Scale& scale)
    : frame_(frame), scale_(scale), next_explanation_(frame.top + 10) {
  out_ +=
      fmt::format("<text class=\"title\" x=\"{}\" y=\"{:.1f}\">{}", frame.left, frame.top - kTitleGap, title);
  if (!unit.empty()) out_ += fmt::format("<tspan class=\"soft\" dx=\"6\">{}</tspan>", unit);
  out_ += "</text>\n";
  for (const double tick : scale_.ticks()) {
    out_ += fmt::format("<path class=\"{}\" d=\"M{} {:.1f}h{}\"/>", tick == 0 ? "base" : "grid", frame.left,
                        y(tick), frame.width);
    out_ += fmt::format("<text class=\"tick end\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", frame.left - 8,
                        y(tick) + 4, tick_label(tick, scale_.tick));
  }
}

double Plot::y(double value) const {
  return frame_.top + frame_.height * (1 - std::clamp(value / scale_.top, 0.0, 1.0));
}

void Plot::area(const Values& low, const Values& high, std::string_view style) {
  std::string path;
  for (const Run& run : runs_of(high)) {
    bool flat = true;
    for (size_t i = run.begin; i < run.end && flat; ++i) flat = high[i] - low[i] < scale_.top * 1e-4;
    if (flat) continue;
    path += fmt::format("M{:.1f} {:.1f}", frame_.x(run.begin), y(high[run.begin]));
    for (size_t i = run.begin; i < run.end; ++i) {
      path += fmt::format("V{:.1f}H{:.1f}", y(high[i]), frame_.x(i + 1));
    }
    for (size_t i = run.end; i-- > run.begin;) {
      path += fmt::format("V{:.1f}H{:.1f}", y(low[i]), frame_.x(i));
    }
    path += 'Z';
  }
  if (!path.empty()) out_ += fmt::format("<path class=\"area {}\" d=\"{}\"/>\n", style, path);
}

void Plot::line(const Values& values, std::string_view style) {
  std::string path;
  for (const Run& run : runs_of(values)) {
    path += fmt::format("M{:.1f} {:.1f}", frame_.x(run.begin), y(values[run.begin]));
    for (size_t i = run.begin; i < run.end; ++i) {
      path += fmt::format("L{:.1f} {:.1f}", (frame_.x(i) + frame_.x(i + 1)) / 2, y(values[i]));
    }
    path += fmt::format("L{:.1f} {:.1f}", frame_.x(run.end), y(values[run.end - 1]));
  }
  if (!path.empty()) out_ += fmt::format("<path class=\"line {}\" d=\"{}\"/>\n", style, path);
}

void Plot::lane(const Values& values, double top, double bottom, std::string_view style) {
  const auto shade = [&](size_t i) {
    return std::isnan(values[i]) ? 0 : static_cast<int>(std::ceil(std::clamp(values[i], 0.0, 1.0) * kShades));
  };
  for (size_t i = 0; i < values.size();) {
    size_t end = i + 1;
    while (end < values.size() && shade(end) == shade(i)) ++end;
    if (shade(i) > 0) {
      out_ += fmt::format(
          "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
          "fill-opacity=\"{:.2f}\"/>",
          style, frame_.x(i), top, frame_.x(end) - frame_.x(i), bottom - top,
          static_cast<double>(shade(i)) / kShades);
    }
    i = end;
  }
  out_ += '\n';
}

void Plot::explain(std::string_view style, Mark mark, std::string_view text) {
  const double x = frame_.left + frame_.width + 14;
  const double middle = next_explanation_ - 4;
  if (mark == Mark::kArea) {
    out_ += fmt::format("<rect class=\"area {}\" x=\"{}\" y=\"{:.1f}\" width=\"14\" height=\"10\"/>", style,
                        x, middle - 5);
  } else {
    out_ += fmt::format("<path class=\"line {}\" d=\"M{} {:.1f}h14\"/>", style, x, middle);
  }
  out_ += fmt::format("<text x=\"{}\" y=\"{:.1f}\">{}</text>\n", x + 20, next_explanation_, text);
  next_explanation_ += kExplanationHeight;
}

void Plot::label(double y, std::string_view text) {
  out_ += fmt::format("<text x=\"{}\" y=\"{:.1f}\">{}</text>\n", frame_.left + frame_.width + 14, y, text);
}

}  // namespace netsense::report
