#include "tools/report/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tools/report/names.h"
#include "tools/report/plot.h"
#include "tools/report/units.h"

namespace netsense::report {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr int kMostTicks = 4;
constexpr double kLaneHeight = 14;
constexpr double kLaneGap = 4;

template <typename Of>
Values values_of(std::span<const Moment> course, Of of) {
  Values values;
  values.reserve(course.size());
  for (const Moment& moment : course) values.push_back(of(moment));
  return values;
}

Values zeros(size_t count) {
  return Values(count, 0.0);
}

double largest(std::initializer_list<const Values*> all) {
  double most = 0;
  for (const Values* values : all) {
    for (const double value : *values) {
      if (value > most) most = value;
    }
  }
  return most;
}

void multiply(std::initializer_list<Values*> all, double by) {
  for (Values* values : all) {
    for (double& value : *values) value *= by;
  }
}

double known(bool is, double value) {
  return is ? value : kNothing;
}

Values stack(const Values& low, const Values& more) {
  Values sum(low.size());
  std::transform(low.begin(), low.end(), more.begin(), sum.begin(), std::plus<>());
  return sum;
}

// The reasons that were given at all.
std::vector<size_t> reasons_of(std::span<const Moment> course) {
  std::vector<size_t> reasons;
  for (size_t reason = 0; reason < kReasons; ++reason) {
    const auto given = [reason](const Moment& moment) { return moment.because[reason] > 0; };
    if (std::ranges::any_of(course, given)) reasons.push_back(reason);
  }
  return reasons;
}

}  // namespace

// The colours are those of Okabe and Ito, which the colour-blind can tell apart, a little lighter in the
// dark.
std::string panel_style() {
  return R"(svg.netsense{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.netsense text{fill:#1f2328}.netsense .soft,.netsense .tick{fill:#59636e}
.netsense .tick{font-size:11px}.netsense .end{text-anchor:end}.netsense .middle{text-anchor:middle}
.netsense .title{font-weight:600}.netsense .soft{font-weight:400}.netsense .head{font-size:15px;font-weight:600}
.netsense .paper{fill:#fff}.netsense .grid{stroke:#e4e8ec;fill:none}.netsense .base{stroke:#8c959f;fill:none}
.netsense .line{fill:none;stroke-width:1.5;stroke-linejoin:round}.netsense .thin{stroke-width:1}
.netsense .dash{stroke-dasharray:5 3}
.netsense .host{fill:#e69f00}.netsense .net{fill:#0072b2}.netsense .peak{stroke:#8c959f}
.netsense .ink{stroke:#1f2328}.netsense .good{fill:#8fd1bd}.netsense .wire{stroke:#0072b2}
.netsense .raw{fill:#b6bdc5}.netsense .fast{fill:#56b4e9}.netsense .tight{fill:#0072b2}
.netsense .ratio{stroke:#b0507f}.netsense .full{fill:#d55e00}.netsense .lane{fill:#59636e}
@media (prefers-color-scheme:dark){.netsense text{fill:#e6edf3}.netsense .soft,.netsense .tick{fill:#9198a1}
.netsense .paper{fill:#0d1117}.netsense .grid{stroke:#262c34}.netsense .base{stroke:#656c76}
.netsense .net,.netsense .tight{fill:#3d8fd1}.netsense .peak{stroke:#7d8590}.netsense .ink{stroke:#e6edf3}
.netsense .good{fill:#1f7a63}.netsense .wire{stroke:#6cb6f0}.netsense .raw{fill:#5c646e}.netsense .fast{fill:#8ccff5}
.netsense .ratio{stroke:#d98bb3}.netsense .lane{fill:#9198a1}}
)";
}

std::string queue_panel(const Frame& frame, std::span<const Moment> course) {
  Values host = values_of(course, [](const Moment& m) { return known(m.looked, m.host_queue_s); });
  Values network = values_of(course, [](const Moment& m) { return known(m.looked, m.network_queue_s); });
  Values longest = values_of(course, [](const Moment& m) { return known(m.looked, m.longest_queue_s); });
  Values rtprop =
      values_of(course, [](const Moment& m) { return known(m.looked && m.rtprop_s > 0, m.rtprop_s); });
  Values both = stack(network, host);
  const Unit unit = time_unit(largest({&longest, &rtprop}));
  multiply({&host, &network, &both, &longest, &rtprop}, unit.per_base);
  Plot plot(frame, "Queue delay", unit.name, scale_to(largest({&longest, &rtprop}), kMostTicks));
  plot.area(zeros(course.size()), network, "net");
  plot.area(network, both, "host");
  plot.line(longest, "peak thin");
  plot.line(rtprop, "ink dash");
  plot.explain("host", Plot::Mark::kArea, "waits in the host");
  plot.explain("net", Plot::Mark::kArea, "waits in the network");
  plot.explain("peak thin", Plot::Mark::kLine, "longest wait");
  plot.explain("ink dash", Plot::Mark::kLine, "RTprop: empty path");
  return plot.svg();
}

std::string bandwidth_panel(const Frame& frame, std::span<const Moment> course) {
  Values goodput = values_of(course, [](const Moment& m) { return m.goodput; });
  Values wire = values_of(course, [](const Moment& m) { return m.wire; });
  Values bottleneck =
      values_of(course, [](const Moment& m) { return known(m.looked && m.btlbw > 0, m.btlbw); });
  const Unit unit = rate_unit(largest({&goodput, &wire, &bottleneck}));
  multiply({&goodput, &wire, &bottleneck}, unit.per_base);
  Plot plot(frame, "Bandwidth", unit.name, scale_to(largest({&goodput, &wire, &bottleneck}), kMostTicks));
  plot.area(zeros(course.size()), goodput, "good");
  plot.line(wire, "wire");
  plot.line(bottleneck, "ink dash");
  plot.explain("good", Plot::Mark::kArea, "goodput: NCCL's bytes");
  plot.explain("wire", Plot::Mark::kLine, "on the wire");
  plot.explain("ink dash", Plot::Mark::kLine, "bottleneck (BtlBw)");
  return plot.svg();
}

std::string codec_panel(const Frame& frame, std::span<const Moment> course) {
  constexpr std::array kOrder{adapt::Action::kTight, adapt::Action::kFast, adapt::Action::kRaw};
  constexpr double kPercent = 100;
  Plot plot(frame, "Sent as", "% of the bytes", {.top = kPercent, .tick = kPercent / 2});
  Values low = zeros(course.size());
  for (const adapt::Action action : kOrder) {
    const auto index = static_cast<size_t>(action);
    const Values part = values_of(course, [index](const Moment& m) {
      return known(m.share[0] + m.share[1] + m.share[2] > 0, kPercent * m.share[index]);
    });
    const Values high = stack(low, part);
    plot.area(low, high, action_name(index));
    low = high;
  }
  plot.explain("raw", Plot::Mark::kArea, "raw");
  plot.explain("fast", Plot::Mark::kArea, "fast codec");
  plot.explain("tight", Plot::Mark::kArea, "tight codec");
  return plot.svg();
}

std::string ratio_panel(const Frame& frame, std::span<const Moment> course) {
  const Values ratio = values_of(
      course, [](const Moment& m) { return known(m.wire > 0, m.goodput / std::max(m.wire, 1e-9)); });
  Plot plot(frame, "Compression", "raw : wire", scale_to(std::clamp(largest({&ratio}), 1.0, 1e6), 3));
  plot.line(ratio, "ratio");
  return plot.svg();
}

double decisions_height(std::span<const Moment> course) {
  return static_cast<double>(reasons_of(course).size() + 1) * (kLaneHeight + kLaneGap) - kLaneGap;
}

std::string decisions_panel(const Frame& frame, std::span<const Moment> course) {
  Plot plot(frame, "Decisions", "the stronger, the more of the blocks", {.top = 1, .tick = 0});
  double top = frame.top;
  const auto lane = [&](const Values& values, std::string_view style, std::string_view name) {
    plot.lane(values, top, top + kLaneHeight, style);
    plot.label(top + kLaneHeight - 3, name);
    top += kLaneHeight + kLaneGap;
  };
  lane(values_of(course, [](const Moment& m) { return known(m.looked, m.congested); }), "full",
       "network is congested");
  for (const size_t reason : reasons_of(course)) {
    lane(values_of(course, [reason](const Moment& m) { return m.because[reason]; }), "lane",
         reason_name(reason));
  }
  return plot.svg();
}

std::string variation_panel(const Frame& frame, std::span<const Moment> course) {
  Values mean = values_of(course, [](const Moment& m) { return known(m.arrivals > 0, m.variation_s); });
  Values most =
      values_of(course, [](const Moment& m) { return known(m.arrivals > 0, m.largest_variation_s); });
  const Unit unit = time_unit(largest({&most}));
  multiply({&mean, &most}, unit.per_base);
  Plot plot(frame, "One-way delay beyond the quickest", unit.name, scale_to(largest({&most}), kMostTicks));
  plot.area(zeros(course.size()), mean, "net");
  plot.line(most, "peak thin");
  plot.explain("net", Plot::Mark::kArea, "mean");
  plot.explain("peak thin", Plot::Mark::kLine, "longest");
  return plot.svg();
}

std::string received_panel(const Frame& frame, std::span<const Moment> course) {
  Values goodput = values_of(course, [](const Moment& m) { return m.goodput; });
  Values wire = values_of(course, [](const Moment& m) { return m.wire; });
  const Unit unit = rate_unit(largest({&goodput, &wire}));
  multiply({&goodput, &wire}, unit.per_base);
  Plot plot(frame, "Received", unit.name, scale_to(largest({&goodput, &wire}), kMostTicks));
  plot.area(zeros(course.size()), goodput, "good");
  plot.line(wire, "wire");
  plot.explain("good", Plot::Mark::kArea, "goodput: NCCL's bytes");
  plot.explain("wire", Plot::Mark::kLine, "on the wire");
  return plot.svg();
}

std::string time_axis(const Frame& last, double top, double seconds) {
  constexpr int kMost = 10;
  const double bottom = last.top + last.height;
  // Steps have a shortest length, so the last may reach beyond the end.
  const double length = last.step_s * static_cast<double>(last.steps);
  const Scale scale = scale_within(std::max(length, seconds), kMost);
  std::string out;
  for (const double tick : scale.ticks()) {
    const double x = last.left + last.width * tick / scale.top;
    out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", x, top, bottom + 5);
    out += fmt::format("<text class=\"tick middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}{}</text>\n", x, bottom + 19,
                       tick_label(tick, scale.tick), tick == 0 ? " s" : "");
  }
  return out;
}

}  // namespace netsense::report
