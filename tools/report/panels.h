// Parts of a picture: each draws one quantity over time, in SVG.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/report/series.h"

namespace netsense::report {

// Where a panel's plot is, in pixels, and how long its steps take.
struct Frame {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
  double step_s = 0;
  size_t steps = 0;

  [[nodiscard]] double x(size_t step) const {
    return left + width * static_cast<double>(step) / static_cast<double>(steps);
  }
};

// Colours, for light and dark; to be put once where the pictures are.
std::string panel_style();

std::string queue_panel(const Frame& frame, std::span<const Moment> course);
std::string bandwidth_panel(const Frame& frame, std::span<const Moment> course);
std::string codec_panel(const Frame& frame, std::span<const Moment> course);
std::string ratio_panel(const Frame& frame, std::span<const Moment> course);
std::string decisions_panel(const Frame& frame, std::span<const Moment> course);
std::string variation_panel(const Frame& frame, std::span<const Moment> course);
std::string received_panel(const Frame& frame, std::span<const Moment> course);

// Pixels that decisions_panel() needs.
double decisions_height(std::span<const Moment> course);

// Below the last panel; top: the topmost plot's top, for the grid.
std::string time_axis(const Frame& last, double top, double seconds);

}  // namespace netsense::report
