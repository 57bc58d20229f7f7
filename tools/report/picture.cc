#include "tools/report/picture.h"

#include <fmt/format.h>

#include <vector>

#include "tools/markup/escape.h"
#include "tools/report/panels.h"

namespace netsense::report {
namespace {

constexpr double kWidth = 960;
constexpr double kLeft = 56;
constexpr double kRight = 186;       // for the explanations
constexpr double kTitleHeight = 34;  // of a panel
constexpr double kAxisHeight = 30;
constexpr double kHeadHeight = 34;

struct Part {
  std::string (*draw)(const Frame& frame, std::span<const Moment> course);
  double height;
};

std::vector<Part> parts_of(PictureKind kind, std::span<const Moment> course) {
  switch (kind) {
    case PictureKind::kReceiving:
      return {{&variation_panel, 90}, {&received_panel, 110}};
    case PictureKind::kCompact:
      return {{&queue_panel, 110}, {&bandwidth_panel, 130}, {&codec_panel, 60}};
    case PictureKind::kSending:
      break;
  }
  return {{&queue_panel, 110},
          {&bandwidth_panel, 130},
          {&codec_panel, 60},
          {&ratio_panel, 60},
          {&decisions_panel, decisions_height(course)}};
}

}  // namespace

std::string picture(const TraceSet& set, std::span<const Moment> course, PictureKind kind,
                    const PictureText& text, bool alone) {
  std::string panels;
  Frame frame{.left = kLeft,
              .top = text.title.empty() ? 0 : kHeadHeight,
              .width = kWidth - kLeft - kRight,
              .height = 0,
              .step_s = set.step_s,
              .steps = set.steps};
  const double first = frame.top + kTitleHeight;
  for (const Part& part : parts_of(kind, course)) {
    frame.top += kTitleHeight;
    frame.height = part.height;
    panels += part.draw(frame, course);
    frame.top += part.height;
  }
  frame.top -= frame.height;
  const double height = frame.top + frame.height + kAxisHeight;
  std::string out = fmt::format(
      "<svg class=\"netsense\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" role=\"img\"",
      kWidth, height);
  if (alone) {
    out +=
        fmt::format(" width=\"{}\" height=\"{:.0f}\">\n<style>{}</style>\n", kWidth, height, panel_style());
    out += "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
  } else {
    out += ">\n";
  }
  if (!text.title.empty()) {
    out += fmt::format(
        "<text class=\"head\" x=\"{}\" y=\"24\">{}<tspan class=\"soft\" dx=\"10\" font-size=\"12\">{}"
        "</tspan></text>\n",
        kLeft, markup::escape(text.title), markup::escape(text.subtitle));
  }
  // The grid lies below what is drawn.
  return out + time_axis(frame, first, set.seconds) + panels + "</svg>\n";
}

}  // namespace netsense::report
