#include "tests/unit/adapt/link_simulation.h"

#include <algorithm>
#include <cmath>

#include "plugin/adapt/congestion.h"

namespace netsense::adapt::simulation {
namespace {

using std::chrono::microseconds;

constexpr microseconds kStep{100};
constexpr double kStepSeconds = 1e-4;
constexpr int kStepsPerLook = 10;

struct Call {
  probe::Time begun;
  double raw = 0;
  double wire = 0;
  double left = 0;        // to be sent
  double round_trip = 0;  // to be waited for when all is sent
};

class Run {
 public:
  Run(const Scenario& scenario, LossyController& controller) : scenario_(scenario), controller_(controller) {}

  std::vector<Outcome> all() {
    std::vector<Outcome> outcomes;
    for (size_t i = 0; i < scenario_.collectives; ++i) outcomes.push_back(one(i));
    return outcomes;
  }

 private:
  [[nodiscard]] double seconds() const { return probe::to_seconds(now_.time_since_epoch()); }
  [[nodiscard]] double rate() const {
    return scenario_.bytes_per_second(seconds()) * (1 - scenario_.taken(seconds()));
  }

  Outcome one(size_t number) {
    const double pause = scenario_.compute_seconds(number);
    for (double passed = 0; passed < pause; passed += kStepSeconds) now_ += kStep;
    Outcome outcome{.begin = seconds(), .compute_seconds = pause, .fair_rate = rate()};
    waits_ = scenario_.waits(number);
    double wire = 0;
    for (size_t begun = 0; begun < scenario_.calls || !under_way_.empty();) {
      for (; begun < scenario_.calls && under_way_.size() < scenario_.calls_at_a_time; ++begun) {
        const LossyLevel level = start();
        wire += under_way_.back().wire;
        outcome.lossless = outcome.lossless && level.lossless;
      }
      step();
    }
    outcome.seconds = seconds() - outcome.begin;
    outcome.wire_ratio = wire / scenario_.bytes;
    return outcome;
  }

  LossyLevel start() {
    const double raw = scenario_.bytes / static_cast<double>(scenario_.calls);
    controller_.begin(now_, raw);
    const LossyLevel level = controller_.level(now_, {});
    const double wire = raw * expected_ratio(level, sizeof(float));
    under_way_.push_back({now_, raw, wire, wire, scenario_.rtprop});
    return level;
  }

  // What the link carries in one step goes to the calls in equal parts, and what one does not need to the
  // rest.
  void serve() {
    double capacity = rate() * kStepSeconds;
    auto sending = static_cast<size_t>(
        std::count_if(under_way_.begin(), under_way_.end(), [](const Call& call) { return call.left > 0; }));
    std::sort(under_way_.begin(), under_way_.end(),
              [](const Call& a, const Call& b) { return a.left < b.left; });
    for (Call& call : under_way_) {
      if (call.left <= 0) {
        call.round_trip -= kStepSeconds;
        continue;
      }
      const double part = std::min(call.left, capacity / static_cast<double>(sending--));
      call.left -= part;
      capacity -= part;
    }
  }

  void look() {
    double backlog = 0;
    for (const Call& call : under_way_) backlog += call.left;
    const bool sends = waits_ <= 0 && backlog > 0;
    congestion_.update(now_,
                       {.rtprop = probe::from_seconds(scenario_.rtprop),
                        .delivery_rate = rate(),
                        .network_queue = probe::from_seconds(sends ? backlog / rate() : 0),
                        .in_flight_bytes = sends ? static_cast<uint64_t>(backlog) : 0,
                        .active = sends},
                       false);
    controller_.look(now_, {.bytes_per_second = congestion_.wire_rate(),
                            .rtprop = probe::from_seconds(scenario_.rtprop),
                            .congested = congestion_.present(now_)});
  }

  void step() {
    now_ += kStep;
    if (waits_ > 0) {
      waits_ -= kStepSeconds;
    } else {
      serve();
    }
    if (scenario_.looks && ++steps_ % kStepsPerLook == 0) look();
    std::erase_if(under_way_, [&](const Call& call) {
      const bool over = call.left <= 0 && call.round_trip <= 0;
      if (over) controller_.end(call.begun, now_, call.raw, call.wire);
      return over;
    });
  }

  const Scenario& scenario_;
  LossyController& controller_;
  Congestion congestion_;
  probe::Time now_{};
  double waits_ = 0;
  int steps_ = 0;
  std::vector<Call> under_way_;
};

}  // namespace

std::vector<Outcome> run(const Scenario& scenario, LossyController& controller) {
  return Run(scenario, controller).all();
}

Scenario step_down_and_up() {
  return {.name = "step",
          .bytes_per_second = [](double at) { return mbit(at < 2 || at >= 10 ? 10000 : 200); },
          .collectives = 100};
}

Scenario sawtooth() {
  return {.name = "sawtooth",
          .bytes_per_second =
              [](double at) {
                const double phase = std::abs(std::fmod(at, 4.0) / 2 - 1);  // 1, 0, 1
                return mbit(200 * std::pow(50, phase));
              },
          .collectives = 100};
}

Scenario competing_flow() {
  return {.name = "competing",
          .bytes_per_second = [](double) { return mbit(500); },
          .taken = [](double at) { return std::fmod(at, 6) < 3 ? 0 : 0.5; },
          .collectives = 120};
}

Scenario idle_gaps() {
  return {.name = "idle gaps",
          .bytes_per_second = [](double) { return mbit(500); },
          .collectives = 80,
          .compute_seconds = [](size_t number) { return number % 25 == 24 ? 5.0 : 0.06; }};
}

Scenario constant(double bytes_per_second) {
  return {.name = bytes_per_second > mbit(5000) ? "fast" : "slow",
          .bytes_per_second = [=](double) { return bytes_per_second; }};
}

std::vector<Scenario> all_scenarios() {
  return {step_down_and_up(),    sawtooth(),         competing_flow(), idle_gaps(),
          constant(mbit(10000)), constant(mbit(200))};
}

}  // namespace netsense::adapt::simulation
