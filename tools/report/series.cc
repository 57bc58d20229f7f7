#include "tools/report/series.h"

#include <algorithm>

namespace netsense::report {
namespace {

double smaller_known(double a, double b) {
  if (a <= 0) return b;
  return b <= 0 ? a : std::min(a, b);
}

// The path of several connections at one step, much as probe::combine() has it.
void add_path(Moment* moment, const Step& step) {
  if (step.looks == 0) return;
  const double looks = step.looks;
  moment->looked = true;
  moment->longest_queue_s = std::max<double>(moment->longest_queue_s, step.longest_queue_s);
  moment->rtprop_s = smaller_known(moment->rtprop_s, step.rtprop_s / looks);
}

Moment moment_of(std::span<const Steps* const> connections, size_t at, double step_s) {
  Moment moment;
  double looks = 0;
  double blocks = 0;
  double arrivals = 0;
  std::array<double, kActions> bytes_as{};
  for (const Steps* steps : connections) {
    const Step& step = (*steps)[at];
    add_path(&moment, step);
    looks += step.looks;
    moment.host_queue_s += step.host_queue_s;
    moment.network_queue_s += step.network_queue_s;
    moment.btlbw += step.btlbw;
    moment.congested += step.congested;
    moment.goodput += step.raw_bytes / step_s;
    moment.wire += step.wire_bytes / step_s;
    for (size_t i = 0; i < kActions; ++i) bytes_as[i] += step.bytes_as[i];
    for (size_t i = 0; i < kReasons; ++i) {
      moment.because[i] += step.blocks_because[i];
      blocks += step.blocks_because[i];
    }
    arrivals += step.arrivals;
    moment.variation_s += step.variation_s;
    moment.largest_variation_s = std::max<double>(moment.largest_variation_s, step.largest_variation_s);
  }
  const double sent = bytes_as[0] + bytes_as[1] + bytes_as[2];
  for (size_t i = 0; i < kActions; ++i) moment.share[i] = sent > 0 ? bytes_as[i] / sent : 0;
  if (looks > 0) {
    moment.host_queue_s /= looks;
    moment.network_queue_s /= looks;
    moment.btlbw /= looks;
    moment.congested /= looks;
  }
  for (double& part : moment.because) part = blocks > 0 ? part / blocks : 0;
  moment.arrivals = arrivals;
  if (arrivals > 0) moment.variation_s /= arrivals;
  return moment;
}

}  // namespace

std::vector<Moment> moments(std::span<const Steps* const> connections, double step_s) {
  std::vector<Moment> all;
  if (connections.empty()) return all;
  all.reserve(connections.front()->size());
  for (size_t i = 0; i < connections.front()->size(); ++i) all.push_back(moment_of(connections, i, step_s));
  return all;
}

}  // namespace netsense::report
