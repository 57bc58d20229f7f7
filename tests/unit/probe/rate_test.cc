// Rates and queues of simulated links, against the model's truth.
#include <algorithm>
#include <cmath>
#include <vector>

#include "probe/peer_estimate.h"
#include "tests/catch.h"
#include "tests/unit/probe/link_model.h"

namespace netsense::probe {
namespace {

constexpr double kGbit = 1000 * kMbit;

// A window whose queue takes so many seconds.
uint64_t standing(double rate, double rtprop, double queue) {
  return static_cast<uint64_t>(rate * (rtprop + queue));
}

double median(std::vector<double> values) {
  REQUIRE_FALSE(values.empty());
  std::nth_element(values.begin(), values.begin() + static_cast<int64_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// Seconds after `change` from which on `right` holds for the rest.
struct Settling {
  double change;
  double last_wrong = 0;
  void note(double now, bool right) {
    if (now > change && !right) last_wrong = now;
  }
  [[nodiscard]] double took() const { return last_wrong - change; }
};

TEST_CASE("a bulk flow alone: rate, queue delay and BDP are the link's") {
  const double rate = GENERATE(100 * kMbit, kGbit, 5 * kGbit);
  const double queue = GENERATE(0.002, 0.02, 0.2);
  const double rtprop = 0.0002;
  LinkModel model(rate, rtprop);
  const uint64_t window = standing(rate, rtprop, queue);
  const uint64_t packet = std::min<uint64_t>(16384, window / 16);
  model.add({.window = window, .packet = packet});
  PathEstimator estimator;
  std::vector<double> errors;
  watch(model, 0, estimator, 0, 0.5 + 2 * queue, [&](double now, const Estimate& estimate) {
    if (now > 2 * queue + 0.1) errors.push_back(to_seconds(estimate.network_queue) / model.queue() - 1);
  });
  const Estimate estimate = estimator.estimate(at(0.5 + 2 * queue));
  CAPTURE(rate, queue);
  CHECK(estimate.btlbw == Approx(rate).epsilon(0.05));
  CHECK(estimate.delivery_rate == Approx(rate).epsilon(0.05));
  // The first packet takes its own time on the link on top.
  const double least = rtprop + static_cast<double>(packet) / rate;
  CHECK(to_seconds(estimate.rtprop) == Approx(least).epsilon(0.01));
  CHECK(estimate.bdp_bytes == Approx(rate * least).epsilon(0.05));
  CHECK(std::abs(median(errors)) < 0.1);
  CHECK(estimate.active);
}

TEST_CASE("the rate is followed within ten round trips or 300 ms") {
  const double before = GENERATE(1000 * kMbit, 200 * kMbit);
  const double after = GENERATE(100 * kMbit, 600 * kMbit, 3 * kGbit);
  const uint64_t window = GENERATE(400'000, 1'000'000, 4'000'000);
  LinkModel model([=](double now) { return now < 3 ? before : after; }, [](double) { return 0.0005; });
  model.add({.window = window});
  PathEstimator estimator;
  Settling rate{3};
  Settling queue{3};
  watch(model, 0, estimator, 0, 6, [&](double now, const Estimate& estimate) {
    rate.note(now, std::abs(estimate.btlbw / after - 1) < 0.1);
    const double truth = model.queue();
    queue.note(now, std::abs(to_seconds(estimate.network_queue) - truth) < std::max(0.15 * truth, 0.002));
  });
  const double round_trip = 0.0005 + static_cast<double>(window) / after;
  CAPTURE(before, after, window);
  CHECK(rate.took() < std::max(0.3, 10 * round_trip));
  CHECK(queue.took() < std::max(0.3, 10 * round_trip));
}

TEST_CASE("a rate that goes up and down all the time is followed") {
  const auto rate = [](double now) { return std::fmod(now, 0.8) < 0.4 ? kGbit : 400 * kMbit; };
  LinkModel model(rate, [](double) { return 0.001; });
  model.add({.window = 2'000'000});
  PathEstimator estimator;
  int looks = 0;
  int right = 0;
  watch(model, 0, estimator, 0, 6, [&](double now, const Estimate& estimate) {
    if (now < 1 || std::fmod(now, 0.4) < 0.3) return;
    ++looks;
    right += static_cast<int>(std::abs(estimate.btlbw / rate(now) - 1) < 0.1);
  });
  CHECK(right == looks);
}

TEST_CASE("another flow in the queue: own share by delivery_rate, the link's rate by btlbw") {
  const double rate = GENERATE(100 * kMbit, kGbit, 5 * kGbit);
  LinkModel model(rate, 0.0002);
  model.add({.window = standing(rate, 0, 0.03)});
  model.add({.start = 1, .window = standing(rate, 0, 0.06)});
  PathEstimator estimator;
  std::vector<double> shares;
  std::vector<double> rates;
  std::vector<double> errors;
  watch(model, 0, estimator, 0, 3, [&](double now, const Estimate& estimate) {
    if (now < 1.5) return;
    shares.push_back(estimate.delivery_rate / rate);
    rates.push_back(estimate.btlbw / rate);
    errors.push_back(to_seconds(estimate.network_queue) / model.queue() - 1);
  });
  CHECK(median(shares) == Approx(1.0 / 3).epsilon(0.1));
  CHECK(median(rates) == Approx(1).epsilon(0.1));
  CHECK(median(errors) == Approx(0).margin(0.05));
}

TEST_CASE("it is enough that some of our bytes stand together") {
  // Every 12 ms, 3 ms with only our bytes; then of three bytes that the link passes one is ours.
  PathEstimator estimator;
  repeat(0, 1, 250e-6, [&](double now) {
    const double phase = std::fmod(now, 0.012);
    const double full_rate_seconds = std::floor(now / 0.012) * (0.003 + 0.009 / 3) + std::min(phase, 0.003) +
                                     std::max(phase - 0.003, 0.0) / 3;
    const auto delivered = static_cast<uint64_t>(kGbit * full_rate_seconds);
    Sample sample;
    sample.at = at(now);
    sample.accepted_bytes = delivered + 1'000'000;
    sample.delivered_bytes = delivered;
    sample.rtt = from_seconds(0.012);
    estimator.update(sample);
  });
  CHECK(estimator.estimate(at(1)).btlbw == Approx(kGbit).epsilon(0.1));
  CHECK(estimator.estimate(at(1)).delivery_rate == Approx(kGbit * (0.003 + 0.009 / 3) / 0.012).epsilon(0.1));
}

TEST_CASE("where every packet of another flow comes between two of ours, the share is all that can be seen") {
  LinkModel model(kGbit, 0.0002);
  model.add({.window = 4'000'000, .pace = 0.5 * kGbit});
  model.add({.window = 4'000'000, .pace = 0.51 * kGbit});
  PathEstimator estimator;
  watch(model, 0, estimator, 0, 2, {}, 50e-6);
  const Estimate estimate = estimator.estimate(at(2));
  CHECK(estimate.btlbw > 0.45 * kGbit);
  CHECK(estimate.btlbw < 1.1 * kGbit);
}

TEST_CASE("bunched acknowledgements do not raise the rate") {
  const double hold = GENERATE(0.001, 0.004, 0.01);
  LinkModel model(kGbit, 0.0005);
  model.hold_acknowledgements(hold);
  model.add({.window = standing(kGbit, 0.0005, 0.02)});
  PathEstimator estimator;
  watch(model, 0, estimator, 0, 2);
  CAPTURE(hold);
  CHECK(estimator.estimate(at(2)).btlbw == Approx(kGbit).epsilon(0.1));
  CHECK(estimator.estimate(at(2)).delivery_rate == Approx(kGbit).epsilon(0.1));
}

TEST_CASE("pauses between messages do not lower the rate") {
  // 4 MB every 100 ms: a third of what the link carries.
  LinkModel model(kGbit, 0.0005);
  model.add({.window = 1'000'000, .offered = [](double now) { return 4e6 * (std::floor(now * 10) + 1); }});
  PathEstimator estimator;
  double lowest = 1e15;
  watch(model, 0, estimator, 0, 3, [&](double now, const Estimate& estimate) {
    if (now > 0.3) lowest = std::min(lowest, estimate.btlbw);
  });
  CHECK(lowest > 0.9 * kGbit);
  CHECK(estimator.estimate(at(3)).btlbw < 1.1 * kGbit);
}

TEST_CASE("messages one at a time do not hide what a longer one shows") {
  // 64 KiB whenever the one before has long arrived: a third of the link's rate. And 700 kB every 100 ms.
  LinkModel model(kGbit, 0.0005);
  model.add({.window = 2'000'000, .offered = [](double now) {
               return 65536 * (std::floor(now / 0.0015) + 1) + 700e3 * (std::floor(now * 10) + 1);
             }});
  PathEstimator estimator;
  std::vector<double> rates;
  watch(model, 0, estimator, 0, 3, [&](double now, const Estimate& estimate) {
    if (now > 0.5) rates.push_back(estimate.btlbw / kGbit);
  });
  const auto [lowest, highest] = std::minmax_element(rates.begin(), rates.end());
  CHECK(*lowest > 0.9);
  CHECK(*highest < 1.1);
}

TEST_CASE("an application that sends little says only that the link is at least so fast") {
  const auto offered = [](double now) {
    if (now < 1) return now * 10 * kMbit;
    if (now < 2) return 1e15;
    return 1.0;  // what was accepted by then was sent long ago
  };
  LinkModel model(kGbit, 0.0005);
  model.add({.window = 1'000'000, .packet = 1500, .offered = offered});
  PathEstimator estimator;
  watch(model, 0, estimator, 0, 1);
  CHECK(estimator.estimate(at(1)).btlbw < kGbit);
  watch(model, 0, estimator, 1, 2);
  CHECK(estimator.estimate(at(2)).btlbw == Approx(kGbit).epsilon(0.05));

  SECTION("and a trickle later does not lower what is known") {
    LinkModel trickle(kGbit, 0.0005);
    trickle.add(
        {.window = 1'000'000, .packet = 1500, .offered = [](double now) { return now * 10 * kMbit; }});
    go_on(trickle, estimator, 2.001, 4, model.sample(0).delivered_bytes);
    CHECK(estimator.estimate(at(4)).btlbw == Approx(kGbit).epsilon(0.05));
  }
}

TEST_CASE("what an idle connection knew of rates is kept, and it reports no queue") {
  LinkModel model(kGbit, 0.0005);
  model.add({.window = 1'000'000, .offered = [](double) { return 1e8; }});
  PathEstimator estimator;
  watch(model, 0, estimator, 0, 3);
  const Estimate later = estimator.estimate(at(60));
  CHECK_FALSE(later.active);
  CHECK(later.queue_delay() == Duration::zero());
  CHECK(later.btlbw == Approx(kGbit).epsilon(0.05));
}

TEST_CASE("bytes that wait in the host wait for the connection's own share") {
  LinkModel model(kGbit, 0.0005);
  model.add({.window = 1'000'000, .socket_buffer = 3'000'000});
  model.add({.window = 1'000'000});
  PathEstimator estimator;
  watch(model, 0, estimator, 0, 2);
  const Estimate estimate = estimator.estimate(at(2));
  CHECK(to_seconds(estimate.host_queue) == Approx(3e6 / (kGbit / 2)).epsilon(0.1));
  CHECK(estimate.queue_delay() == estimate.host_queue + estimate.network_queue);
}

TEST_CASE("a path that delivers nothing any more shows it before any acknowledgement could") {
  LinkModel model([](double now) { return now < 1 ? kGbit : 1.0; }, [](double) { return 0.0005; });
  model.add({.window = 1'000'000});
  PathEstimator estimator;
  watch(model, 0, estimator, 0, 2);
  const Estimate estimate = estimator.estimate(at(2));
  CHECK(to_seconds(estimate.network_queue) > 0.9);
  CHECK(estimate.delivery_rate < 0.01 * kGbit);
}

TEST_CASE("a queue that will never drain is long, not an overflow") {
  PathEstimator estimator;
  repeat(0, 0.1, 0.001, [&](double now) {
    const auto delivered = static_cast<uint64_t>(now * 1e6);
    Sample sample{.at = at(now),
                  .accepted_bytes = delivered + 1,
                  .delivered_bytes = delivered,
                  .rtt = from_seconds(0.001)};
    if (now > 0.0995) {
      sample.unsent_bytes = uint64_t{1} << 60;
      sample.accepted_bytes += sample.unsent_bytes;
    }
    estimator.update(sample);
  });
  CHECK(estimator.estimate(at(10'000)).queue_delay() > std::chrono::hours(24 * 365));
}

TEST_CASE("a receiver that takes little is no slow network, unless there is a queue") {
  PathEstimator estimator;
  LinkModel fast(kGbit, 0.0005);
  fast.add({.window = 1'000'000});
  watch(fast, 0, estimator, 0, 1);
  // The receiver's window then allows a tenth of that, and no queue stands.
  LinkModel slow(kGbit, 0.0005);
  slow.add({.window = 1'000'000, .packet = 1500, .pace = 0.1 * kGbit});
  const bool said = GENERATE(true, false);
  go_on(slow, estimator, 1.001, 3, fast.sample(0).delivered_bytes,
        [said](Sample& sample) { sample.receiver_limited = said; });
  CHECK(estimator.estimate(at(3)).btlbw == Approx(said ? kGbit : 0.1 * kGbit).epsilon(0.1));
}

TEST_CASE("a queue shows that the network is slow, whatever the receiver does") {
  LinkModel model([](double now) { return now < 1 ? kGbit : 0.3 * kGbit; }, [](double) { return 0.0005; });
  model.add({.window = 1'000'000});
  PathEstimator estimator;
  repeat(0, 2, 250e-6, [&](double now) {
    model.run_until(now);
    Sample sample = model.sample(0);
    sample.receiver_limited = true;
    estimator.update(sample);
  });
  CHECK(estimator.estimate(at(2)).btlbw == Approx(0.3 * kGbit).epsilon(0.1));
}

TEST_CASE("after a pause the round trip starts anew") {
  PathEstimator estimator;
  Sample sample{
      .at = at(1), .accepted_bytes = 200'000, .delivered_bytes = 100'000, .rtt = from_seconds(0.020)};
  estimator.update(sample);
  sample.at = at(1.01);
  sample.delivered_bytes = 200'000;
  sample.rtt = from_seconds(0.030);
  estimator.update(sample);
  CHECK(to_seconds(estimator.estimate(at(1.01)).rtt) == Approx(0.025));
  sample.at = at(5);
  sample.accepted_bytes = sample.delivered_bytes = 300'000;
  sample.rtt = from_seconds(0.001);
  estimator.update(sample);
  CHECK(to_seconds(estimator.estimate(at(5)).rtt) == Approx(0.001));
}

TEST_CASE("samples out of order are ignored") {
  PathEstimator estimator;
  estimator.update({.at = at(1), .accepted_bytes = 1000, .delivered_bytes = 500});
  estimator.update({.at = at(0.5), .accepted_bytes = 1000, .delivered_bytes = 900});
  estimator.update({.at = at(2), .accepted_bytes = 1000, .delivered_bytes = 400});
  CHECK(estimator.estimate(at(2)).in_flight_bytes == 500);
}

TEST_CASE("connections to one host add up to its link") {
  LinkModel model(kGbit, 0.005);
  std::vector<PathEstimator> estimators(4);
  for (size_t i = 0; i < estimators.size(); ++i)
    model.add({.start = 0.01 * static_cast<double>(i), .window = 500'000});
  repeat(0, 2, 250e-6, [&](double now) {
    model.run_until(now);
    for (size_t i = 0; i < estimators.size(); ++i) estimators[i].update(model.sample(i));
  });
  std::vector<Estimate> estimates;
  estimates.reserve(estimators.size() + 1);
  for (const PathEstimator& estimator : estimators) estimates.push_back(estimator.estimate(at(2)));
  const Estimate idle{.rtprop = from_seconds(0.005), .delivery_rate = kGbit, .btlbw = 1.05 * kGbit};
  estimates.push_back(idle);
  const Estimate all = combine(estimates);
  CHECK(all.active);
  CHECK(all.delivery_rate == Approx(kGbit).epsilon(0.1));
  CHECK(all.btlbw == Approx(1.05 * kGbit).epsilon(0.05));
  CHECK(all.rtprop == idle.rtprop);
  CHECK(to_seconds(all.network_queue) == Approx(model.queue()).epsilon(0.1));
  CHECK(all.in_flight_bytes == 4 * (500'000 / 16384) * 16384);
  CHECK(to_seconds(all.host_queue) == Approx(static_cast<double>(all.unsent_bytes) / kGbit).epsilon(0.1));

  CHECK(combine({}).btlbw == 0);
  const Estimate only_idle = combine(std::vector<Estimate>{idle, idle});
  CHECK(only_idle.delivery_rate == kGbit);
  CHECK_FALSE(only_idle.active);
}

}  // namespace
}  // namespace netsense::probe
