// The plot of one panel: title, scale, areas, lines and the explanations beside them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/report/axis.h"
#include "tools/report/panels.h"

namespace netsense::report {

// One value per step; NaN: nothing is known, and nothing drawn.
using Values = std::vector<double>;

class Plot {
 public:
  // unit: behind the title. Values are in the scale's unit.
  Plot(const Frame& frame, std::string_view title, std::string_view unit, const Scale& scale);

  // style: a class of panel_style(), which gives the colour.
  void area(const Values& low, const Values& high, std::string_view style);
  void line(const Values& values, std::string_view style);
  // A row of boxes from top to bottom (pixels), the more opaque the larger the value (0 to 1).
  void lane(const Values& values, double top, double bottom, std::string_view style);

  enum class Mark : unsigned char { kArea, kLine };
  // In the margin on the right, from top to bottom.
  void explain(std::string_view style, Mark mark, std::string_view text);
  // There, at this height.
  void label(double y, std::string_view text);

  [[nodiscard]] std::string svg() const { return out_; }

 private:
  [[nodiscard]] double y(double value) const;

  Frame frame_;
  Scale scale_;
  std::string out_;
  double next_explanation_;
};

}  // namespace netsense::report
