// A link with one queue in order of arrival and any number of window-limited flows through it, in simulated
// time: makes the samples that an estimator would get, and knows the truth.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "probe/path_estimator.h"

namespace netsense::probe {

constexpr double kMbit = 1e6 / 8;  // bytes per second

inline Time at(double seconds) {
  return Time(std::chrono::hours(1)) + from_seconds(seconds);
}

struct Flow {
  double start = 0;         // seconds
  uint64_t window = 0;      // bytes in flight at most
  uint64_t packet = 16384;  // bytes that travel, and are acknowledged, as one
  // Bytes that the application has handed over by then; without limit by default.
  std::function<double(double seconds)> offered = [](double) { return 1e15; };
  uint64_t socket_buffer = uint64_t{1} << 20;  // accepted and not sent at most
  // Bytes per second at which it puts packets on the wire at most (pacing).
  double pace = 1e15;
};

class LinkModel {
 public:
  // rate: bytes per second by time in seconds. rtprop: seconds by time.
  LinkModel(std::function<double(double)> rate, std::function<double(double)> rtprop);
  LinkModel(double rate, double rtprop);

  size_t add(const Flow& flow);
  // Acknowledgements come only at multiples of so many seconds.
  void hold_acknowledgements(double seconds) { hold_ = seconds; }

  void run_until(double seconds);
  // What happened since the sample before.
  Sample sample(size_t flow);
  // Seconds that a byte arriving now would wait.
  [[nodiscard]] double queue() const;
  [[nodiscard]] double rate() const { return rate_(now_); }

 private:
  struct State {
    Flow flow;
    uint64_t sent = 0;
    uint64_t delivered = 0;
    double next_send = 0;
    double rtt_sum = 0;
    int rtt_count = 0;
  };
  struct Packet {
    size_t flow;
    double sent;
  };
  struct Event {
    double at;
    uint64_t order;
    bool departure;  // from the queue; otherwise an acknowledgement arrives
    Packet packet;
    bool operator>(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  void send_what_may(size_t flow);
  void serve();
  void push(double at, bool departure, Packet packet) { events_.push({at, order_++, departure, packet}); }

  std::function<double(double)> rate_;
  std::function<double(double)> rtprop_;
  double hold_ = 0;
  double now_ = 0;
  uint64_t order_ = 0;
  bool serving_ = false;
  std::vector<State> flows_;
  std::deque<Packet> queue_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

// Calls step every `interval` seconds, from `from` (excluded) to `until`.
void repeat(double from, double until, double interval, const std::function<void(double seconds)>& step);

// Feeds the estimator a sample of the flow every `interval` seconds; `look` sees each moment.
void watch(LinkModel& model, size_t flow, PathEstimator& estimator, double from, double until,
           const std::function<void(double seconds, const Estimate&)>& look = {}, double interval = 250e-6);

// Feeds the estimator, which has seen `delivered` bytes of another model before, this model's first flow.
void go_on(LinkModel& model, PathEstimator& estimator, double from, double until, uint64_t delivered,
           const std::function<void(Sample&)>& change = {});

}  // namespace netsense::probe
