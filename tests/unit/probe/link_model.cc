#include "tests/unit/probe/link_model.h"

#include <algorithm>
#include <cmath>

namespace netsense::probe {

LinkModel::LinkModel(std::function<double(double)> rate, std::function<double(double)> rtprop)
    : rate_(std::move(rate)), rtprop_(std::move(rtprop)) {}

LinkModel::LinkModel(double rate, double rtprop)
    : LinkModel([rate](double) { return rate; }, [rtprop](double) { return rtprop; }) {}

size_t LinkModel::add(const Flow& flow) {
  flows_.push_back({flow});
  return flows_.size() - 1;
}

void LinkModel::run_until(double seconds) {
  for (size_t flow = 0; flow < flows_.size(); ++flow) send_what_may(flow);
  while (!events_.empty() && events_.top().at <= seconds) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.at;
    if (event.departure) {
      queue_.pop_front();
      serving_ = false;
      double back = now_ + rtprop_(now_);
      if (hold_ > 0) back = std::ceil(back / hold_) * hold_;
      push(back, false, event.packet);
      serve();
      continue;
    }
    State& state = flows_[event.packet.flow];
    state.delivered += state.flow.packet;
    state.rtt_sum += now_ - event.packet.sent;
    ++state.rtt_count;
    send_what_may(event.packet.flow);
  }
  now_ = seconds;
}

void LinkModel::send_what_may(size_t flow) {
  State& state = flows_[flow];
  if (now_ < state.flow.start) return;
  while (state.sent - state.delivered + state.flow.packet <= state.flow.window &&
         static_cast<double>(state.sent + state.flow.packet) <= state.flow.offered(now_) &&
         state.next_send <= now_) {
    state.sent += state.flow.packet;
    // Packets that looks come too late for are not made up.
    state.next_send =
        std::max(state.next_send, now_ - 0.001) + static_cast<double>(state.flow.packet) / state.flow.pace;
    queue_.push_back({flow, now_});
    serve();
  }
}

void LinkModel::serve() {
  if (serving_ || queue_.empty()) return;
  serving_ = true;
  const Packet& packet = queue_.front();
  push(now_ + static_cast<double>(flows_[packet.flow].flow.packet) / rate_(now_), true, packet);
}

Sample LinkModel::sample(size_t flow) {
  State& state = flows_[flow];
  Sample sample;
  sample.at = at(now_);
  // Whole packets, as the rest would stay unsent.
  const double offered = now_ < state.flow.start ? 0 : state.flow.offered(now_);
  const double most = std::min(offered, static_cast<double>(state.sent + state.flow.socket_buffer));
  sample.accepted_bytes =
      std::max(state.sent, static_cast<uint64_t>(most) / state.flow.packet * state.flow.packet);
  sample.delivered_bytes = state.delivered;
  sample.unsent_bytes = sample.accepted_bytes - state.sent;
  if (state.rtt_count > 0) sample.rtt = from_seconds(state.rtt_sum / state.rtt_count);
  state.rtt_sum = 0;
  state.rtt_count = 0;
  return sample;
}

double LinkModel::queue() const {
  double bytes = 0;
  for (const Packet& packet : queue_) bytes += static_cast<double>(flows_[packet.flow].flow.packet);
  return bytes / rate_(now_);
}

void repeat(double from, double until, double interval, const std::function<void(double)>& step) {
  const auto steps = static_cast<int64_t>(std::llround((until - from) / interval));
  for (int64_t i = 1; i <= steps; ++i) step(from + static_cast<double>(i) * interval);
}

void watch(LinkModel& model, size_t flow, PathEstimator& estimator, double from, double until,
           const std::function<void(double, const Estimate&)>& look, double interval) {
  repeat(from, until, interval, [&](double now) {
    model.run_until(now);
    estimator.update(model.sample(flow));
    if (look) look(now, estimator.estimate(at(now)));
  });
}

void go_on(LinkModel& model, PathEstimator& estimator, double from, double until, uint64_t delivered,
           const std::function<void(Sample&)>& change) {
  model.run_until(from);
  const uint64_t before = model.sample(0).delivered_bytes;
  repeat(from, until, 250e-6, [&](double now) {
    model.run_until(now);
    Sample sample = model.sample(0);
    sample.accepted_bytes += delivered - before;
    sample.delivered_bytes += delivered - before;
    if (change) change(sample);
    estimator.update(sample);
  });
}

}  // namespace netsense::probe
